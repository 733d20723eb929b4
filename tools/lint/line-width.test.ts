import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { wideLines } from './line-width.ts';

test('comments have at most 110 columns, and other lines of TypeScript at most 140', () => {
  const files = globSync('{src,tools,bench,e2e,config}/**/*.{ts,tsx}');
  expect(files.length).toBeGreaterThan(2000);
  const wide = files.flatMap((file) =>
    wideLines(readFileSync(file, 'utf8')).map((line) => `${file}:${line}`),
  );
  expect(wide).toEqual([]);
});

const words = (length: number): string =>
  'word '
    .repeat(40)
    .slice(0, length - 1)
    .concat('.');

describe('a line', () => {
  test.each([
    ['of code may have 140 columns', words(140), []],
    ['of code is too wide with 141 columns', words(141), [1]],
    ['of a comment may have 110 columns', ` * ${words(107)}`, []],
    ['of a comment is too wide with 111 columns', ` * ${words(108)}`, [1]],
    ['behind two slashes is a comment', `// ${words(108)}`, [1]],
    ['with one long word cannot be wrapped', `key ${'x'.repeat(150)}`, []],
  ])('%s', (_, text, expected) => {
    expect(wideLines(text)).toEqual(expected);
  });
});
