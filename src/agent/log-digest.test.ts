import { describe, expect, test } from '@jest/globals';
import { LogDigest } from './log-digest.ts';

function digest(...texts: [step: string, text: string][]): { lines: string[]; errors: { line: number }[] } {
  const logDigest = new LogDigest('/workdir');
  for (const [step, text] of texts) logDigest.add(step, text);
  const { BUILD_LOG = '', BUILD_ERRORS = '' } = logDigest.variables();
  return { lines: JSON.parse(BUILD_LOG), errors: JSON.parse(BUILD_ERRORS) };
}

describe('the lines and errors that notifications get from a log', () => {
  test('are whole lines, even if steps write at the same time', () => {
    const { lines } = digest(['a', 'one\ntw'], ['b', 'three\n'], ['a', 'o\nfour']);
    expect(lines).toEqual(['one', 'three', 'two', 'four']);
  });

  test('are only the last 50 lines', () => {
    const text = Array.from({ length: 500 }, (_, index) => `${index}\n`).join('');
    expect(digest(['a', text]).lines).toEqual(Array.from({ length: 50 }, (_, index) => String(450 + index)));
  });

  test('are as many lines as fit into 8000 characters, each cut to 1000', () => {
    const { lines } = digest(['a', `${'x'.repeat(5000)}\n`.repeat(20)]);
    expect(lines.map(({ length }) => length)).toEqual(Array.from({ length: 8 }, () => 1000));
  });

  test('have no colours and no other control characters', () => {
    const line = '\u001B[31mred\u001B[0m\tand\u0007 \r\n';
    expect(digest(['a', line]).lines).toEqual(['red and']);
  });

  test('are also the first 50 errors of compilers, wherever in the log they are', () => {
    const errors = Array.from(
      { length: 60 },
      (_, index) => `\u001B[1ma.c:${index + 1}:2:\u001B[0m error: x\n`,
    );
    const errorsInDigest = digest(['a', errors.join('')], ['a', 'x\n'.repeat(300)]).errors;
    expect(errorsInDigest).toHaveLength(50);
    expect(errorsInDigest[0]).toEqual({ path: 'a.c', line: 1, column: 2, message: 'error: x' });
  });

  test('are empty without a log', () => {
    expect(digest()).toEqual({ lines: [], errors: [] });
  });
});
