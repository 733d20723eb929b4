import { render, type ComponentChild } from 'preact';

const CONTROLS = 'a[href], button, input, select, textarea, [tabindex="0"]';

/**
 * Replaces the server-rendered content of the container with content that Preact renders. Removes the
 * server's elements first, because Preact would keep those that its first render does not have. If a control
 * had the focus, focuses the new control with the same id or `href`, so that viewers who use the keyboard
 * stay where they are. The attribute `data-rendered` tells tests that the server's elements are gone.
 */
export function replaceServerContent(container: HTMLElement, content: ComponentChild): void {
  const { activeElement } = document;
  const focused = container.contains(activeElement) && activeElement !== container ? activeElement : null;
  container.replaceChildren();
  render(content, container);
  container.dataset['rendered'] = '';
  if (focused === null) return;
  const controls = [...container.querySelectorAll<HTMLElement>(CONTROLS)];
  controls.find((control) => isSameControl(control, focused))?.focus({ preventScroll: true });
}

function isSameControl(one: Element, other: Element): boolean {
  if (other.id !== '') return one.id === other.id;
  return (
    one.tagName === other.tagName &&
    other.hasAttribute('href') &&
    one.getAttribute('href') === other.getAttribute('href')
  );
}
