import { Idiomorph } from 'idiomorph';
import { isEdited } from './is-edited.ts';
import { showTimes } from './show-times.ts';

/** The attributes of form fields that a viewer changes. */
const FIELD_ATTRIBUTES = new Set(['value', 'checked', 'selected']);

/**
 * Changes an element into the one that the server has rendered. Elements that are the same stay in the
 * document, and so do the focus, what the viewer typed or chose, and details that the viewer opened.
 */
export function morph(here: Element, there: Element): void {
  showTimes(there);
  void Idiomorph.morph(here, [...there.childNodes], {
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
