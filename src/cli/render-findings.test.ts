import { expect, test } from '@jest/globals';
import { renderFinding } from './render-findings.ts';

test.each([
  ['a plain letter', 'a', 1],
  ['a wide letter', '漢', 2],
  ['an emoji', '👍', 2],
  ['an emoji with a colour of skin', '👍🏽', 2],
  // What joins its parts is not shown as such.
  ['an emoji of three parts', '👨\u200D👩\u200D👧', 8],
])('the caret stands below its letter behind %s', (_name, letter, cells) => {
  const place = { start: { line: 1, column: 2 }, end: { line: 1, column: 3 } };
  const finding = { severity: 'error', code: 'c', message: 'm', help: 'h', file: 'f', place } as const;
  const [, , text = '', caret] = renderFinding(finding, `${letter}x`, (_style, painted) => painted).split(
    '\n',
  );
  expect(text.endsWith('x')).toBe(true);
  expect(caret).toBe(`  | ${' '.repeat(cells)}^`);
});
