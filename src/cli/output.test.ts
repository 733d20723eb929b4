import { describe, expect, test } from '@jest/globals';
import { durationOf, renderTable, statusCell, timeOf } from './output.ts';

const plain = (_style: unknown, text: string): string => text;

describe('columns of a table', () => {
  test('are aligned with their headings, even with wide characters', () => {
    const rows = [
      ['a', '10', 'x'],
      ['日本', '7', ''],
      ['bcdef', '', 'y'],
    ];
    expect(renderTable(['NAME', 'NUMBER', 'WHAT'], rows, plain).split('\n')).toEqual([
      'NAME    NUMBER   WHAT',
      'a       10       x',
      '日本    7',
      'bcdef            y',
      '',
    ]);
  });

  test('are left out if empty, and contain no control characters', () => {
    expect(renderTable(['A', 'B', 'C'], [['x\u001b[2J', '', 'z']], plain)).toBe(
      'A       C\nx\uFFFD[2J   z\n',
    );
  });

  test('may be coloured without a change of width', () => {
    const painted = renderTable(
      ['S', 'T'],
      [[statusCell('failed'), 'x']],
      (style, text) => `<${String(style)}>${text}</>`,
    );
    expect(painted).toBe('<bold>S</>        <bold>T</>\n<red>failed</>   x\n');
  });
});

test.each([
  [undefined, ''],
  [0, '0 s'],
  [1_240_000_000, '1.2 s'],
  [59_000_000_000, '59 s'],
  [125_000_000_000, '2 m 5 s'],
  [4_320_000_000_000, '1 h 12 m'],
])('%s nanoseconds are printed as %s', (nanoseconds, text) => {
  expect(durationOf(nanoseconds)).toBe(text);
});

test('times are printed to the second', () => {
  expect(timeOf('2026-11-21T23:48:25.123Z')).toBe('2026-11-21 23:48:25Z');
  expect(timeOf(undefined)).toBe('');
});
