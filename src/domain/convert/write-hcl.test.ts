import { describe, expect, test } from '@jest/globals';
import { quoteText, writeScript } from './write-hcl.ts';

describe('a string in quotes', () => {
  test.each([
    ['escapes what ends it or begins a template', 'a "b" \\ ${c} %{d}', '"a \\"b\\" \\\\ $${c} %%{d}"'],
    ['spells out line ends and other control characters', 'a\n\t\r\u0001', '"a\\n\\t\\r\\u0001"'],
    ['leaves single signs as they are', '100% $x', '"100% $x"'],
  ])('%s', (_name, text, hcl) => expect(quoteText([text])).toBe(hcl));

  test('has variables as templates, and a variable alone as a reference', () => {
    expect(quoteText(['a-', { variable: 'tag' }])).toBe('"a-${var.tag}"');
    expect(quoteText([{ variable: 'tag' }])).toBe('var.tag');
  });
});

describe('a script', () => {
  test.each([
    ['of one line is a string', 'make\n', '"make"'],
    ['of several lines is a heredoc', 'cd app\n\n  make ${x}\n', '<<-SH\n  cd app\n\n    make $${x}\nSH'],
    ['with the usual marker in it gets another one', 'a\nSH\n', '<<-END_OF_SCRIPT\n  a\n  SH\nEND_OF_SCRIPT'],
    ['whose lines are all indented stays a string', ' a\n b\n', '" a\\n b\\n"'],
    ['with a tab at the start of a line stays a string', 'a\n\tb\n', '"a\\n\\tb\\n"'],
    ['with a carriage return stays a string', 'a\r\nb\n', '"a\\r\\nb\\n"'],
  ])('%s', (_name, text, hcl) => expect(writeScript([text])).toBe(hcl));
});
