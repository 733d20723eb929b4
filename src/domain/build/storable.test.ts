import { expect, test } from '@jest/globals';
import { storable, storableFields } from './storable.ts';

test.each([
  ['text in any language is stored unchanged', 'grün 緑 🟢\n', 'grün 緑 🟢\n'],
  ['a NUL, which Postgres refuses, is replaced', 'a\0b\0', 'a\uFFFDb\uFFFD'],
  ['each unpaired half of a surrogate pair is replaced', 'a\uD83D b\uDFE2', 'a\uFFFD b\uFFFD'],
])('%s', (_, text, expected) => {
  expect(storable(text)).toBe(expected);
});

test('names of fields follow the same rule as their values', () => {
  expect(storableFields({ 'a\0': 'b\uD83D', c: 'd' })).toEqual({ 'a\uFFFD': 'b\uFFFD', c: 'd' });
});
