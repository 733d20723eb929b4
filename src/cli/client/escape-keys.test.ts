import { describe, expect, test } from '@jest/globals';
import { escapeOf } from './escape-keys.ts';

/** What is passed on of keys that arrive in these pieces, and whether the person leaves. */
function typed(...pieces: string[]): [passed: string, left: boolean] {
  let left = false;
  const escape = escapeOf(() => (left = true));
  const passed = pieces.map((piece) => Buffer.from(escape(Buffer.from(piece))).toString());
  return [passed.join(''), left];
}

describe('keys in a shell', () => {
  const cases: Record<string, [pieces: string[], passed: string, left: boolean]> = {
    'pass unchanged': [['ls ~.ssh\r', 'cat ä\u0003\u001b[A'], 'ls ~.ssh\rcat ä\u0003\u001b[A', false],
    'leave it after Enter, ~ and a full stop': [['ls\r~.'], '', true],
    'leave it at the very beginning': [['~.'], '', true],
    'leave it one by one': [['\r', '~', '.'], '\r', true],
    'are no escape if ~ is not the first key': [['\ra~.'], '\ra~.', false],
    'are no escape with another key after ~': [['\r~/bin/x\r'], '\r~/bin/x\r', false],
    'pass one ~ for two': [['\r~~.'], '\r~.', false],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [pieces, ...expected]) => {
    expect(typed(...pieces)).toEqual(expected);
  });
});
