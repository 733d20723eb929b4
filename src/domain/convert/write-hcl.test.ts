import { describe, expect, test } from '@jest/globals';
import { hclBlock, quoteText, visibleText, writeHcl, writeScript } from './write-hcl.ts';

describe('a string in quotes', () => {
  test.each([
    ['escapes what ends it or begins a template', 'a "b" \\ ${c} %{d}', '"a \\"b\\" \\\\ $${c} %%{d}"'],
    ['escapes newlines and other control characters', 'a\n\t\r\u0001', '"a\\n\\t\\r\\u0001"'],
    [
      'escapes invisible characters',
      '\u007f\u009b\u202e\u2028\u{e0001}',
      '"\\u007f\\u009b\\u202e\\u2028\\U000e0001"',
    ],
    ['leaves a lone % or $ unchanged', '100% $x', '"100% $x"'],
  ])('%s', (_name, text, hcl) => expect(quoteText([text])).toBe(hcl));

  test('writes a variable as a template, and a lone variable as a reference', () => {
    expect(quoteText(['a-', { variable: 'tag' }])).toBe('"a-${var.tag}"');
    expect(quoteText([{ variable: 'tag' }])).toBe('var.tag');
  });

  test.each([
    ['US$', '"US${"$"}${var.price}"'],
    ['$$', '"${"$$"}${var.price}"'],
    ['100%', '"100%${var.price}"'],
    ['$x', '"$x${var.price}"'],
  ])('keeps %s before a variable as text', (text, hcl) =>
    expect(quoteText([text, { variable: 'price' }])).toBe(hcl),
  );
});

describe('a script', () => {
  test.each([
    ['of one line is a string', 'make\n', '"make"'],
    ['of several lines is a heredoc', 'cd app\n\n  make ${x}\n', '<<-SH\n  cd app\n\n    make $${x}\nSH'],
    ['with the usual marker in it gets another one', 'a\nSH\n', '<<-END_OF_SCRIPT\n  a\n  SH\nEND_OF_SCRIPT'],
    ['whose lines are all indented stays a string', ' a\n b\n', '" a\\n b\\n"'],
    ['with a tab at the start of a line stays a string', 'a\n\tb\n', '"a\\n\\tb\\n"'],
    ['with a character that changes the text direction stays a string', 'a\n\u202eb\n', '"a\\n\\u202eb\\n"'],
    ['with a C1 control character stays a string', 'a\n\u009bb\n', '"a\\n\\u009bb\\n"'],
    ['with a carriage return stays a string', 'a\r\nb\n', '"a\\r\\nb\\n"'],
  ])('%s', (_name, text, hcl) => expect(writeScript([text])).toBe(hcl));

  test('of several lines keeps a $ before a variable as text', () => {
    expect(writeScript(['a\nUS$', { variable: 'price' }, '\n'])).toBe(
      '<<-SH\n  a\n  US${"$"}${var.price}\nSH',
    );
  });
});

test('a comment and a label have no characters that control a terminal', () => {
  const nodes = [
    { kind: 'comment' as const, text: 'a\u202eb' },
    hclBlock('task', [visibleText('a\u009bb')], []),
  ];
  expect(writeHcl(nodes)).toBe('# a b\ntask "a b" {}\n');
});
