import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { firstWrongLine, LINE_BYTES, printLines } from './numbered-lines.ts';

const printed = execFileSync('sh', ['-c', printLines(3)], { encoding: 'utf8' });
const [first = '', second = '', third = ''] = printed.split(/(?<=\n)/);

test('the printed lines have the right length and are whole, even between other lines', () => {
  expect(printed).toHaveLength(3 * LINE_BYTES);
  expect(firstWrongLine(`note\n${printed}times\n`, 3)).toBeUndefined();
});

test.each([
  ['is missing', first + third, 2],
  ['is out of order', first + third + second, 2],
  ['is not whole', first + second.slice(4) + third, 2],
  ['is missing at the end', first + second, 3],
  ['is missing at the beginning', second + third, 1],
])('the first line that %s is reported', (_, log, line) => {
  expect(firstWrongLine(log, 3)).toBe(line);
});
