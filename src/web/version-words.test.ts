import { expect, test } from '@jest/globals';
import { versionInWords } from './version-words.ts';

test.each([
  [{ ref: '3f2a91c' }, 'ref: 3f2a91c'],
  [{ ref: '3f2a91c', message: 'two\nlines' }, 'ref: 3f2a91c, message: two lines'],
  [{ ref: 'f'.repeat(100) }, `ref: ${'f'.repeat(54)}…`],
  [{}, ''],
])('the version %j is %j', (version, words) => {
  expect(versionInWords(version)).toBe(words);
});
