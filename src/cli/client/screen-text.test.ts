import { describe, expect, test } from '@jest/globals';
import { ScreenText } from './screen-text.ts';

const show = (pieces: string[], colour = true): string => {
  const screen = new ScreenText(colour);
  return pieces.map((piece) => screen.push(piece)).join('');
};

describe('a log on a terminal', () => {
  const cases: Record<string, [pieces: string[], text: string]> = {
    'keeps text, lines, tabs and progress bars': [['a\tb\r\nc\rd\n'], 'a\tb\r\nc\rd\n'],
    'keeps colours': [['\u001b[1;31mred\u001b[0m'], '\u001b[1;31mred\u001b[0m'],
    'keeps a colour that arrives in two chunks': [['\u001b[3', '1mred'], '\u001b[31mred'],
    'loses cursor movements and clears': [['\u001b[2J\u001b[Ha\u001b[?25l'], 'a'],
    'loses titles and clipboard sequences': [['\u001b]0;title\u0007a\u001b]52;c;eA==\u001b\\b'], 'ab'],
    'loses a clipboard sequence that arrives in several chunks': [['a\u001b]52;c;', 'eA=', '=\u0007b'], 'ab'],
    'loses queries to the terminal': [['\u001b[6n\u001bZ\u001bP$qm\u001b\\a'], 'a'],
    'loses bells and eight-bit escapes': [['a\u0007\u009b2J\u0000b'], 'a2Jb'],
  };
  test.each(Object.entries(cases))('%s', (_name, [pieces, text]) => {
    expect(show(pieces)).toBe(text);
  });

  test('has no colours when they are turned off', () => {
    expect(show(['\u001b[31mred\u001b[0m\n'], false)).toBe('red\n');
  });

  test('shows the start of an incomplete control sequence at the end', () => {
    const text = `\u001b]${'x'.repeat(5000)}`;
    expect(show([text, 'y'])).toContain('xxxy');
  });
});
