import { describe, expect, test } from '@jest/globals';
import { ScreenText } from './screen-text.ts';

const shown = (pieces: string[], colour = true): string => {
  const screen = new ScreenText(colour);
  return pieces.map((piece) => screen.push(piece)).join('');
};

describe('a log on a screen', () => {
  const cases: Record<string, [pieces: string[], text: string]> = {
    'text, lines, tabs and progress bars': [['a\tb\r\nc\rd\n'], 'a\tb\r\nc\rd\n'],
    colours: [['\u001b[1;31mred\u001b[0m'], '\u001b[1;31mred\u001b[0m'],
    'colours in two pieces': [['\u001b[3', '1mred'], '\u001b[31mred'],
    'no cursor, no cleared screen': [['\u001b[2J\u001b[Ha\u001b[?25l'], 'a'],
    'no title and no clipboard': [['\u001b]0;title\u0007a\u001b]52;c;eA==\u001b\\b'], 'ab'],
    'no clipboard in pieces': [['a\u001b]52;c;', 'eA=', '=\u0007b'], 'ab'],
    'no questions to the terminal': [['\u001b[6n\u001bZ\u001bP$qm\u001b\\a'], 'a'],
    'no bells and no escapes of eight bits': [['a\u0007\u009b2J\u0000b'], 'a2Jb'],
  };
  test.each(Object.entries(cases))('%s', (_name, [pieces, text]) => {
    expect(shown(pieces)).toBe(text);
  });

  test('without colours where they are not wanted', () => {
    expect(shown(['\u001b[31mred\u001b[0m\n'], false)).toBe('red\n');
  });

  test('what begins like a sequence and never ends is shown in the end', () => {
    const text = `\u001b]${'x'.repeat(5000)}`;
    expect(shown([text, 'y'])).toContain('xxxy');
  });
});
