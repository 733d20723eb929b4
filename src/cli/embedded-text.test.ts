import { describe, expect, test } from '@jest/globals';
import { literalBlock } from './embedded-text.ts';

describe('a position in a literal block', () => {
  const source = 'spec:\n  config: |\n    a = 1\n    b = "é👍"\n\n  paused: true\n';
  const { placeOf, lineOf } = literalBlock({ source, start: 2, text: 'a = 1\nb = "é👍"\n' });
  const cases: Record<
    string,
    [place: [line: number, column: number], moved: [line: number, column: number]]
  > = {
    'is moved by the lines above and by the indentation': [
      [1, 5],
      [3, 9],
    ],
    'after the last line is at the end of that line': [
      [3, 1],
      [4, 13],
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [[line, column], [movedLine, movedColumn]]) => {
    const spot = { line, column, byte: 0 };
    const moved = { line: movedLine, column: movedColumn };
    expect(placeOf({ start: spot, end: spot })).toEqual({ start: moved, end: moved });
  });

  test('has the line of the file in messages', () => expect(lineOf?.(2)).toBe(4));
});
