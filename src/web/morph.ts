import { Idiomorph } from 'idiomorph';
import { isEdited } from './is-edited.ts';
import { showTimes } from './show-times.ts';

/** What a viewer changes in a page, beside its content. */
const CHOSEN = new Set(['value', 'checked', 'selected']);

/**
 * Changes an element into the one that the server rendered now. What is the same stays in the document: the
 * focus, what the viewer typed or chose, and details that they opened.
 */
export function morph(here: Element, there: Element): void {
  showTimes(there);
  void Idiomorph.morph(here, [...there.childNodes], {
    morphStyle: 'innerHTML',
    // The label of a button that has the focus changes all the same.
    ignoreActiveValue: document.activeElement?.matches('input, textarea, select') === true,
    callbacks: {
      beforeAttributeUpdated: (attribute, element) =>
        !(attribute === 'open' && element instanceof HTMLDetailsElement) &&
        !(CHOSEN.has(attribute) && isEdited(element)),
    },
  });
}
