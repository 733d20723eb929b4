import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { contrast, type Rgb } from './colours.ts';
import { AnsiParser, BACKGROUND, TEXT, type Piece } from './terminal.ts';

const CSI = '\u001b[';

/** What the parser reads from these chunks: pieces with the names of their styles, and line ends. */
function partsOf(...chunks: string[]): string[] {
  const terminal = new AnsiParser();
  return chunks
    .flatMap((chunk) => terminal.read(chunk))
    .map((part) => {
      if (typeof part === 'string') return part === '\n' ? 'LINE' : 'BACK';
      return [part.text, ...(part.appearance.classes === '' ? [] : [part.appearance.classes])].join(' | ');
    });
}

const TEXTS: Record<string, { chunks: string[]; shows: string[] }> = {
  'shows plain text and line ends': {
    chunks: ['one\ntwo\r\n'],
    shows: ['one', 'LINE', 'two', 'BACK', 'LINE'],
  },
  'adds up styles until they are reset': {
    chunks: [`${CSI}1;4mab${CSI}22mc${CSI}0md`],
    shows: ['ab | bold underline', 'c | underline', 'd'],
  },
  'resets all styles at an empty sequence': {
    chunks: [`${CSI}3;9mab${CSI}mc`],
    shows: ['ab | italic struck', 'c'],
  },
  'keeps a style across chunks': { chunks: [`${CSI}2ma`, 'b'], shows: ['a | dim', 'b | dim'] },
  'reads a sequence split over two chunks': { chunks: [`a${CSI}3`, `1mb`], shows: ['a', 'b | front'] },
  'reads a sequence split after its first character': {
    chunks: ['a\u001b', '[1mb'],
    shows: ['a', 'b | bold'],
  },
  'leaves out window titles': { chunks: ['a\u001b]0;title\u0007b'], shows: ['a', 'b'] },
  'shows the text of a link': {
    chunks: ['\u001b]8;;https://x\u001b\\here\u001b]8;;\u001b\\'],
    shows: ['here'],
  },
  'leaves out character sets, as in `tput sgr0`': {
    chunks: [`${CSI}1ma\u001b(B${CSI}mb`],
    shows: ['a | bold', 'b'],
  },
  'leaves out cursor movements': { chunks: [`a${CSI}2K${CSI}1Ab`], shows: ['a', 'b'] },
  'leaves out other control characters': { chunks: ['a\u0000\u0008\tb'], shows: ['a\tb'] },
  'marks bidirectional characters': {
    chunks: ['a\u202eb\u2066c'],
    shows: ['a\ufffdb\ufffdc'],
  },
  'ends an unfinished sequence with its line': {
    chunks: ['\u001b]0;no end\nnext', ' words\n'],
    shows: [']0;no end', 'LINE', 'next', ' words', 'LINE'],
  },
  'ignores unknown style numbers': { chunks: [`${CSI}5;10;73;200ma`], shows: ['a'] },
  'ignores colours out of range': {
    chunks: [`${CSI}38;5;256ma${CSI}38;2;1;2;300mb${CSI}38;5mc`],
    shows: ['a', 'b', 'c'],
  },
  'ignores underline colours': {
    chunks: [`${CSI}58;5;1;1ma${CSI}0;58;2;1;2;3mb`],
    shows: ['a | bold', 'b'],
  },
  'ends an underline written with a colon': {
    chunks: [`${CSI}4:3ma${CSI}4:0mb`],
    shows: ['a | underline', 'b'],
  },
};

describe('the log view', () => {
  test.each(Object.entries(TEXTS))('%s', (_, { chunks, shows }) => {
    expect(partsOf(...chunks)).toEqual(shows);
  });

  test('does not depend on how the text is cut into chunks', () => {
    const words = fc.constantFrom(
      'a',
      '\n',
      '\r',
      `${CSI}31m`,
      `${CSI}48;5;99m`,
      '\u001b]0;t\u0007',
      `${CSI}m`,
    );
    fc.assert(
      fc.property(fc.array(words), fc.array(fc.nat()), (parts, cuts) => {
        const text = parts.join('');
        const offsets = [0, ...cuts.map((cut) => cut % (text.length + 1)), text.length].toSorted(
          (a, b) => a - b,
        );
        const chunks = offsets.map((offset, index) => text.slice(offset, offsets[index + 1] ?? offset));
        expect(looksOf(chunks)).toEqual(looksOf([text]));
      }),
    );
  });
});

/** Each character with its style. */
function looksOf(chunks: string[]): unknown[] {
  const terminal = new AnsiParser();
  return chunks
    .flatMap((chunk) => terminal.read(chunk))
    .flatMap((part) =>
      typeof part === 'string' ? [part] : part.text.split('').map((letter) => [letter, part.appearance]),
    );
}

function piece(numbers: string): Piece {
  const [part] = new AnsiParser().read(`${CSI}${numbers}mx`);
  if (part === undefined || typeof part === 'string') throw new Error('no piece');
  return part;
}
const front = (numbers: string) => piece(numbers).appearance.front;

const COLOURS: Record<string, { numbers: string; light?: Rgb; dark?: Rgb }> = {
  'keep a legible colour of the cube': { numbers: '38;5;21', light: [0, 0, 255] },
  'include greys': { numbers: '38;5;250', dark: [188, 188, 188] },
  'include true colours': { numbers: '38;2;160;30;90', light: [160, 30, 90] },
  'include true colours with colons': { numbers: '38:2:160:30:90', light: [160, 30, 90] },
  'include true colours with colons and an empty colour space': {
    numbers: '38:2::160:30:90',
    light: [160, 30, 90],
  },
  'include the 256 colours with colons': { numbers: '38:5:21', light: [0, 0, 255] },
  'include the sixteen among the 256': { numbers: '38;5;9', dark: [240, 96, 90] },
  'use the last of several': { numbers: '31;38;5;1;1;38;2;160;30;90', light: [160, 30, 90] },
};

describe('the colours of log text', () => {
  test.each(Object.entries(COLOURS))('%s', (_, { numbers, light, dark }) => {
    const colours = front(numbers);
    if (light !== undefined) expect(colours?.light).toEqual(light);
    if (dark !== undefined) expect(colours?.dark).toEqual(dark);
  });

  test('are moved until they are legible, and keep their hue', () => {
    const [red = 0, green = 0, blue = 0] = front('38;2;255;255;0')?.light ?? [];
    expect([red === green, red > blue + 80]).toEqual([true, true]);
    expect(front('38;2;255;255;0')?.dark).toEqual([255, 255, 0]);
  });

  test('follow the palette of the page if they are its text colours', () => {
    expect(front('7')).toEqual(BACKGROUND);
    expect(piece('7').appearance.back).toEqual(TEXT);
  });

  test("are those of the page's style sheet", () => {
    const css = readFileSync(join(import.meta.dirname, '../palette.css'), 'utf8');
    const both = (name: string) =>
      (new RegExp(`--${name}: light-dark\\((#\\w+), (#\\w+)\\);`).exec(css) ?? [])
        .slice(1)
        .map((colour) => [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16)));
    expect(both('raised')).toEqual([BACKGROUND.light, BACKGROUND.dark]);
    expect(both('text')).toEqual([TEXT.light, TEXT.dark]);
  });
});

const byte = fc.nat(255);
const anyColour = fc.oneof(
  byte.map((index) => `5;${index}`),
  fc.tuple(byte, byte, byte).map((parts) => `2;${parts.join(';')}`),
);

test('every log text is legible in light and dark, whatever colours a program sets', () => {
  const some = fc.option(anyColour, { nil: undefined });
  fc.assert(
    fc.property(some, some, fc.boolean(), (letters, ground, turned) => {
      const numbers = [
        ...(turned ? ['7'] : []),
        ...(letters === undefined ? [] : [`38;${letters}`]),
        ...(ground === undefined ? [] : [`48;${ground}`]),
      ];
      const { front: letterColour = TEXT, back = BACKGROUND } = piece(numbers.join(';')).appearance;
      for (const palette of ['light', 'dark'] as const)
        expect(contrast(letterColour[palette], back[palette])).toBeGreaterThanOrEqual(4.5);
    }),
    { numRuns: 2000 },
  );
});

test('contrast is computed as WCAG defines it', () => {
  expect(contrast([0, 0, 0], [255, 255, 255])).toBe(21);
  expect(contrast([118, 118, 118], [255, 255, 255])).toBeCloseTo(4.54, 2);
});

/** The number of characters that are shown. */
function length(parts: ReturnType<AnsiParser['read']>): number {
  return parts.reduce((sum, part) => sum + (typeof part === 'string' ? 0 : part.text.length), 0);
}

test('a printed binary file is shown in linear time', () => {
  const terminal = new AnsiParser();
  const text = '\u001b]'.repeat(50_000) + '\u001bP' + 'x'.repeat(100_000);
  expect(length(terminal.read(text))).toBeGreaterThanOrEqual(100_000);
  expect(length(terminal.read('y'))).toBe(1);
  expect(length(terminal.read(`${CSI}${'1;'.repeat(100_000)}m`))).toBe(0);
});
