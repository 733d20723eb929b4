import { expect, test } from '@jest/globals';
import { pinch } from './pointers.ts';

test('one pointer moves the graph and does not zoom', () => {
  expect(pinch([{ x: 10, y: 10 }], [{ x: 15, y: 7 }])).toEqual({
    by: { x: 5, y: -3 },
    factor: 1,
    at: { x: 15, y: 7 },
  });
});

test('two fingers zoom by how far they move apart, at the point between them', () => {
  const before = [
    { x: 100, y: 100 },
    { x: 200, y: 100 },
  ];
  const after = [
    { x: 100, y: 100 },
    { x: 300, y: 100 },
  ];
  expect(pinch(before, after)).toEqual({ by: { x: 50, y: 0 }, factor: 2, at: { x: 200, y: 100 } });
});
