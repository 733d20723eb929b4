import { expect, test } from '@jest/globals';
import { actionOfKey } from './keys.ts';

const NO_MODIFIER = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };

test.each([
  ['+', {}, { zoom: 1 }],
  ['+', { shiftKey: true }, { zoom: 1 }],
  ['-', {}, { zoom: -1 }],
  ['0', {}, { fit: true }],
  ['ArrowLeft', {}, { to: 'left' }],
  ['ArrowRight', { shiftKey: true }, { pan: { x: -1, y: 0 } }],
  ['+', { ctrlKey: true }, undefined],
  ['ArrowLeft', { altKey: true }, undefined],
  ['Enter', {}, undefined],
  ['a', {}, undefined],
] as const)('%s with %j is %j', (key, modifiers, action) => {
  expect(actionOfKey({ key, ...NO_MODIFIER, ...modifiers })).toEqual(action);
});
