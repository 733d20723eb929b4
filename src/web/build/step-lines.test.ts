import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { MAX_BLOCK_CHARACTERS } from './line-block.ts';
import { MAX_SHOWN_CHARACTERS } from './read-line.ts';
import { StepLines } from './step-lines.ts';

const ESC = '\u001b';

function linesOf(...chunks: string[]): StepLines {
  const lines = new StepLines();
  for (const [index, chunk] of chunks.entries()) lines.append(chunk, index);
  return lines;
}
const textsOf = (lines: StepLines): string[] => [...lines.texts(0)].map(({ text }) => text);

const TEXTS: Record<string, { chunks: string[]; shows: string[] }> = {
  'are cut at line ends': { chunks: ['one\ntwo\r\n\nfour\n'], shows: ['one', 'two', '', 'four'] },
  'continue in the next chunk': { chunks: ['on', 'e\ntw', 'o'], shows: ['one', 'two'] },
  'have the last state of a progress bar': {
    chunks: ['10 %\r20 %', '\r30', ' %\r', '40 %\ndone\n'],
    shows: ['40 %', 'done'],
  },
  'have no escape sequences': { chunks: [`${ESC}[3`, `2mgreen${ESC}[0m\n`], shows: ['green'] },
  'are cut if they are very long, and say so': {
    chunks: ['x'.repeat(MAX_SHOWN_CHARACTERS), 'y'.repeat(1000), '\nnext\n'],
    shows: [`${'x'.repeat(MAX_SHOWN_CHARACTERS)} … 1000 more characters in the plain text`, 'next'],
  },
};

describe('the lines of a step', () => {
  test.each(Object.entries(TEXTS))('%s', (_, { chunks, shows }) => {
    expect(textsOf(linesOf(...chunks))).toEqual(shows);
  });

  test('do not depend on how the text is cut into chunks', () => {
    const words = fc.constantFrom('a', 'é', '✓', '\n', '\r\n', `${ESC}[31m`, 'w'.repeat(9000));
    fc.assert(
      fc.property(fc.array(words, { maxLength: 60 }), fc.array(fc.nat(), { maxLength: 8 }), (parts, cuts) => {
        const text = parts.join('');
        const offsets = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted(
          (a, b) => a - b,
        );
        const chunks = offsets.map((offset, index) => text.slice(offset, offsets[index + 1] ?? offset));
        expect(textsOf(linesOf(...chunks))).toEqual(textsOf(linesOf(text)));
      }),
      { numRuns: 200 },
    );
  });

  test('begin with the style that an earlier line set, and have the time of their first character', () => {
    const lines = linesOf(`${ESC}[31mred\nstill`, ` red\n${ESC}[0mplain\n`, 'end');
    expect([0, 1, 2, 3].map((line) => lines.line(line).look.front !== undefined)).toEqual([
      false,
      true,
      true,
      false,
    ]);
    expect([0, 1, 2, 3].map((line) => lines.line(line).at)).toEqual([0, 0, 1, 2]);
  });

  test('can be read one by one, even after their block has become bytes', () => {
    const written = Array.from({ length: 5000 }, (_, index) => `${index} ✓ ${'z'.repeat(index % 50)}`);
    const lines = linesOf(`${written.join('\n')}\n`);
    expect(lines.end).toBe(5000);
    expect(written.every((text, line) => lines.line(line).text === text)).toBe(true);
  });

  test('keep their numbers when the oldest are dropped', () => {
    const lines = new StepLines();
    const filled = lines.append('long line\n'.repeat(MAX_BLOCK_CHARACTERS / 4), 0);
    const [first] = filled;
    lines.drop();
    expect([lines.first, lines.end]).toEqual([first?.count, MAX_BLOCK_CHARACTERS / 4]);
    expect(lines.line(lines.first).text).toBe('long line');
    expect(() => lines.line(0)).toThrow('Line 0 is not stored.');
  });

  test('take the rows that their columns need, and each row belongs to a line', () => {
    const lengths = fc.array(fc.nat(200), { maxLength: 80 });
    fc.assert(
      fc.property(lengths, fc.integer({ min: 1, max: 60 }), (long, columns) => {
        const lines = linesOf(long.map((length) => `${'x'.repeat(length)}\n`).join(''));
        const rows = long.map((length) => Math.max(1, Math.ceil(length / columns)));
        expect(lines.rows(columns)).toBe(rows.reduce((sum, height) => sum + height, 0));
        let row = 0;
        for (const [line, height] of rows.entries()) {
          expect(lines.rowOf(line, columns)).toBe(row);
          for (let inside = 0; inside < height; inside += 1)
            expect(lines.lineAt(row + inside, columns)).toEqual({ line, row });
          row += height;
        }
      }),
      { numRuns: 200 },
    );
  });
});
