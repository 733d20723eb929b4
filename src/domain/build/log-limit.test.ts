import { expect, test } from '@jest/globals';
import { cutLog, LOG_CUT_LINE } from './log-limit.ts';

const text = 'x'.repeat(100);

test.each<[string, [text: string, used: number, limit: number], { text: string; used: number }]>([
  ['what fits is kept whole, and counted', [text, 0, 200], { text, used: 100 }],
  ['what fits to the last byte is kept whole', [text, 100, 200], { text, used: 200 }],
  ['nothing costs nothing', ['', 150, 200], { text: '', used: 150 }],
  ['a short line costs a row all the same', ['x', 0, 200], { text: 'x', used: 64 }],
  [
    'what is too much is cut, says so, and is over the limit from then on',
    [text, 150, 200],
    { text: `${'x'.repeat(50)}\n${LOG_CUT_LINE}\n`, used: 201 },
  ],
  [
    'with the limit just reached only the line that says so follows',
    [text, 200, 200],
    { text: `\n${LOG_CUT_LINE}\n`, used: 201 },
  ],
  ['behind that line nothing follows', [text, 201, 200], { text: '', used: 201 }],
  [
    'bytes of UTF-8 are counted, not letters',
    ['é'.repeat(50) + '緑'.repeat(50), 0, 300],
    { text: 'é'.repeat(50) + '緑'.repeat(50), used: 250 },
  ],
  [
    'no letter is cut in two',
    ['緑'.repeat(100), 0, 100],
    { text: `${'緑'.repeat(33)}\n${LOG_CUT_LINE}\n`, used: 101 },
  ],
  [
    'nor a letter of two units',
    ['🟢'.repeat(50), 0, 102],
    { text: `${'🟢'.repeat(25)}\n${LOG_CUT_LINE}\n`, used: 103 },
  ],
])('%s', (_, given, expected) => {
  expect(cutLog(...given)).toEqual(expected);
});
