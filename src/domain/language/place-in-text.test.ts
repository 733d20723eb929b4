import { describe, expect, test } from '@jest/globals';
import { array, assert, constantFrom, property } from 'fast-check';
import { placeInText } from './place-in-text.ts';

const start = { line: 3, column: 7, byte: 40 };

/** Returns `line:column-line:column`, and whether templates are part of the value. */
function placed(text: string, value: string, index: number): string | undefined {
  const place = placeInText({ text, start }, value, index);
  if (!place) return undefined;
  const { range, computed } = place;
  const spot = ({ line, column }: typeof start): string => `${line}:${column}`;
  return `${spot(range.start)}-${spot(range.end)}${computed ? ' computed' : ''}`;
}

describe('the position in the source text of a character of a value', () => {
  const cases: Record<string, [text: string, value: string, index: number, place: string | undefined]> = {
    'is in quotes': ['"abc"', 'abc', 1, '3:9-3:10'],
    'is at the end of the value': ['"abc"', 'abc', 3, '3:11-3:12'],
    'is in an empty value': ['""', '', 0, '3:8-3:9'],
    'is after escapes': [String.raw`"\"\n\u00e4b"`, '"\näb', 3, '3:18-3:19'],
    'is that of an escape': [String.raw`"a\tb"`, 'a\tb', 1, '3:9-3:11'],
    'is after a doubled sign': ['"$${a}b"', '${a}b', 4, '3:13-3:14'],
    'is after wide letters': ['"👍🏽ab"', '👍🏽ab', 4, '3:9-3:10'],
    'is before a template': ['"ab${x}"', 'abcd', 1, '3:9-3:10 computed'],
    'is that of the template': ['"ab${x}e"', 'abcde', 3, '3:10-3:14 computed'],
    'is after a template': ['"ab${x}e"', 'abcde', 4, '3:14-3:15 computed'],
    'is between templates': ['"a${x}-${y}b"', 'a1-2b', 2, '3:9-3:18 computed'],
    'is after braces and quotes in a template': [
      '"${f("}\\"", { a = "${b}" })}x"',
      '1x',
      1,
      '3:35-3:36 computed',
    ],
    'is that of an empty template': ['"a${x}"', 'a', 1, '3:9-3:13 computed'],
    'is in a heredoc': ['<<E\nab\ncd\nE', 'ab\ncd\n', 4, '5:2-5:3'],
    'is in an indented heredoc': ['<<-E\n  ab\n    cd\n  E', 'ab\n  cd\n', 6, '5:6-5:7'],
    'is in an indented heredoc with an empty line': ['<<-E\n  ab\n\n  cd\n  E\n', 'ab\n\ncd\n', 4, '6:3-6:4'],
    'is in an indented heredoc that keeps its margin': ['<<-E\n  ab\n\n  E\n', '  ab\n\n', 2, '4:3-4:4'],
    'is after a template in a heredoc': ['<<E\n${x}\ncd\nE', 'a\nb\ncd\n', 5, '5:2-5:3 computed'],
    'does not exist with directives': ['"a%{ if x }b%{ endif }"', 'ab', 1, undefined],
    'does not exist in another expression': ['join("", ["ab"])', 'ab', 1, undefined],
    'does not exist if it is written in another Unicode form': ['"e\u0301x"', '\u00e9x', 1, undefined],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [text, value, index, place]) => {
    expect(placed(text, value, index)).toBe(place);
  });

  test('is right for any surrounding text', () => {
    const piece = constantFrom<[spelling: string, value: string]>(
      ['a', 'a'],
      [String.raw`\"`, '"'],
      [String.raw`\\`, '\\'],
      ['$${', '${'],
      ['$', '$'],
      ['ä', 'ä'],
    );
    assert(
      property(array(piece), array(piece), (before, after) => {
        const join = (part: 0 | 1): string =>
          [...before, ['!', '!'] as const, ...after].map((pair) => pair[part]).join('');
        const [text, value] = [`"${join(0)}"`, join(1)];
        const place = placeInText(
          { text, start: { line: 1, column: 1, byte: 0 } },
          value,
          value.indexOf('!'),
        );
        const at = text.indexOf('!');
        expect(place?.range.start).toMatchObject({ line: 1, column: at + 1 });
      }),
    );
  });
});
