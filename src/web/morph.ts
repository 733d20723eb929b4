import { Idiomorph } from 'idiomorph';
import { showTimes } from './show-times.ts';

/**
 * Changes an element into the one that the server rendered now. What is the same stays in the document: the
 * focus, a text that the viewer is typing, and details that they opened.
 */
export function morph(here: Element, there: Element): void {
  showTimes(there);
  void Idiomorph.morph(here, [...there.childNodes], {
    morphStyle: 'innerHTML',
    // The label of a button that has the focus changes all the same.
    ignoreActiveValue: document.activeElement?.matches('input, textarea, select') === true,
    callbacks: {
      beforeAttributeUpdated: (attribute, element) =>
        !(attribute === 'open' && element instanceof HTMLDetailsElement),
    },
  });
}
