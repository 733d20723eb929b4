import { describe, expect, test } from '@jest/globals';
import { LogDigest } from './log-digest.ts';

function digest(...texts: [step: string, text: string][]): { lines: string[]; errors: { line: number }[] } {
  const made = new LogDigest('/workdir');
  for (const [step, text] of texts) made.add(step, text);
  const { BUILD_LOG = '', BUILD_ERRORS = '' } = made.variables();
  return { lines: JSON.parse(BUILD_LOG), errors: JSON.parse(BUILD_ERRORS) };
}

describe('what notifications see of a log', () => {
  test('are its lines, also of steps that write at the same time', () => {
    const { lines } = digest(['a', 'one\ntw'], ['b', 'three\n'], ['a', 'o\nfour']);
    expect(lines).toEqual(['one', 'three', 'two', 'four']);
  });

  test('are only the last lines', () => {
    const text = Array.from({ length: 500 }, (_, index) => `${index}\n`).join('');
    expect(digest(['a', text]).lines).toEqual(Array.from({ length: 50 }, (_, index) => String(450 + index)));
  });

  test('are lines that fit, each cut to a limit', () => {
    const { lines } = digest(['a', `${'x'.repeat(5000)}\n`.repeat(20)]);
    expect(lines.map(({ length }) => length)).toEqual(Array.from({ length: 8 }, () => 1000));
  });

  test('have no colours and no other control characters', () => {
    const line = '\u001B[31mred\u001B[0m\tand\u0007 \r\n';
    expect(digest(['a', line]).lines).toEqual(['red and']);
  });

  test('are also the first errors of compilers, however far back', () => {
    const errors = Array.from(
      { length: 60 },
      (_, index) => `\u001B[1ma.c:${index + 1}:2:\u001B[0m error: x\n`,
    );
    const found = digest(['a', errors.join('')], ['a', 'x\n'.repeat(300)]).errors;
    expect(found).toHaveLength(50);
    expect(found[0]).toEqual({ path: 'a.c', line: 1, column: 2, message: 'error: x' });
  });

  test('is nothing without a log', () => {
    expect(digest()).toEqual({ lines: [], errors: [] });
  });
});
