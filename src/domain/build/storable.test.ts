import { expect, test } from '@jest/globals';
import { storable, storableFields } from './storable.ts';

test.each([
  ['text of any language stays', 'grün 緑 🟢\n', 'grün 緑 🟢\n'],
  ['a NUL, which Postgres refuses, is replaced', 'a\0b\0', 'a\uFFFDb\uFFFD'],
  ['each half of a surrogate pair that stands alone is replaced', 'a\uD83D b\uDFE2', 'a\uFFFD b\uFFFD'],
])('%s', (_, text, expected) => {
  expect(storable(text)).toBe(expected);
});

test('names of fields are kept to the same rule as their values', () => {
  expect(storableFields({ 'a\0': 'b\uD83D', c: 'd' })).toEqual({ 'a\uFFFD': 'b\uFFFD', c: 'd' });
});
