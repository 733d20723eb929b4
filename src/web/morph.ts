import { Idiomorph } from 'idiomorph';
import { isEdited } from './is-edited.ts';
import { showTimes } from './show-times.ts';

/** The attributes of form fields that a viewer changes. */
const FIELD_ATTRIBUTES = new Set(['value', 'checked', 'selected']);

/**
 * Changes an element of the page into the one that the server has rendered. Equal elements stay in the
 * document. The focus, the input of the viewer, and `<details>` that the viewer opened also stay.
 */
export function morph(current: Element, rendered: Element): void {
  showTimes(rendered);
  void Idiomorph.morph(current, [...rendered.childNodes], {
    morphStyle: 'innerHTML',
    // Only the values of fields with the focus are kept. The label of a button with the focus still changes.
    ignoreActiveValue: document.activeElement?.matches('input, textarea, select') === true,
    callbacks: {
      beforeAttributeUpdated: (attribute, element) =>
        !(attribute === 'open' && element instanceof HTMLDetailsElement) &&
        !(FIELD_ATTRIBUTES.has(attribute) && isEdited(element)),
    },
  });
}
