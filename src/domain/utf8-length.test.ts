import { expect, test } from '@jest/globals';
import { firstBytes, utf8Length } from './utf8-length.ts';

const TEXTS: Record<string, string> = {
  'an empty text': '',
  'only ASCII': 'a\n\u007f',
  'letters of two bytes': 'é\u0080\u07ff',
  'letters of three bytes': '€\u0800\uffff\ufeff',
  'letters of four bytes': '😀\u{10000}\u{10ffff}',
  'all of them': 'aé€😀',
};

test.each(Object.entries(TEXTS))('counts the bytes of %s', (_name, text) => {
  expect(utf8Length(text)).toBe(Buffer.byteLength(text));
});

test('a text is cut between two letters', () => {
  const starts = Array.from({ length: 11 }, (_, bytes) => firstBytes(TEXTS['all of them'] ?? '', bytes));
  expect(starts).toEqual(['', 'a', 'a', 'aé', 'aé', 'aé', 'aé€', 'aé€', 'aé€', 'aé€', 'aé€😀']);
});
