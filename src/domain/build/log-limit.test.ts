import { expect, test } from '@jest/globals';
import { cutLog, DEFAULT_LOG_BYTES, LOG_CUT_LINE, smallerLimit } from './log-limit.ts';

const text = 'x'.repeat(100);

test.each<[string, [text: string, used: number, limit: number], { text: string; used: number }]>([
  ['a log that fits is stored in full, and counted', [text, 0, 200], { text, used: 100 }],
  ['a log that fits to the last byte is stored in full', [text, 100, 200], { text, used: 200 }],
  ['an empty text counts nothing', ['', 150, 200], { text: '', used: 150 }],
  ['a short line counts the least that a row counts', ['x', 0, 200], { text: 'x', used: 64 }],
  [
    'a log above the limit is cut, says so, and stays over the limit',
    [text, 150, 200],
    { text: `${'x'.repeat(50)}\n${LOG_CUT_LINE}\n`, used: 201 },
  ],
  [
    'a log exactly at the limit is followed only by the line that says so',
    [text, 200, 200],
    { text: `\n${LOG_CUT_LINE}\n`, used: 201 },
  ],
  ['a log that says it was cut is followed by nothing', [text, 201, 200], { text: '', used: 201 }],
  [
    'a log is measured in bytes of UTF-8, not in characters',
    ['é'.repeat(50) + '緑'.repeat(50), 0, 300],
    { text: 'é'.repeat(50) + '緑'.repeat(50), used: 250 },
  ],
  [
    'a character is not cut in two',
    ['緑'.repeat(100), 0, 100],
    { text: `${'緑'.repeat(33)}\n${LOG_CUT_LINE}\n`, used: 101 },
  ],
  [
    'a character of two UTF-16 units is not cut in two',
    ['🟢'.repeat(50), 0, 102],
    { text: `${'🟢'.repeat(25)}\n${LOG_CUT_LINE}\n`, used: 103 },
  ],
])('%s', (_, parameters, expected) => {
  expect(cutLog(...parameters)).toEqual(expected);
});

test.each([
  [undefined, undefined, undefined],
  [1000, undefined, 1000],
  [1000, 400, 400],
  [1000, 4000, 1000],
  [undefined, 400, 400],
  [undefined, 2 * DEFAULT_LOG_BYTES, DEFAULT_LOG_BYTES],
])('of the limits %s of the installation and %s of the team, %s holds', (installation, team, limit) => {
  expect(smallerLimit(installation, team)).toBe(limit);
});
