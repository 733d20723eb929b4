import { describe, expect, test } from '@jest/globals';
import { filterEscape } from './escape-keys.ts';

/**
 * Types keys that arrive in these pieces. Returns which keys are passed on, and whether the user left the
 * shell.
 */
function typeKeys(...pieces: string[]): [passed: string, left: boolean] {
  let left = false;
  const keysToPassOn = filterEscape(() => (left = true));
  const passed = pieces.map((piece) => Buffer.from(keysToPassOn(Buffer.from(piece))).toString());
  return [passed.join(''), left];
}

describe('keys in a shell', () => {
  const cases: Record<string, [pieces: string[], passed: string, left: boolean]> = {
    'pass unchanged': [['ls ~.ssh\r', 'cat ä\u0003\u001b[A'], 'ls ~.ssh\rcat ä\u0003\u001b[A', false],
    'leave the shell after Enter, ~ and a full stop': [['ls\r~.'], '', true],
    'leave the shell if ~ and a full stop are the first keys': [['~.'], '', true],
    'leave the shell even if the keys of the escape arrive one by one': [['\r', '~', '.'], '\r', true],
    'do not count as an escape if ~ does not follow Enter': [['\ra~.'], '\ra~.', false],
    'do not count as an escape with another key after ~': [['\r~/bin/x\r'], '\r~/bin/x\r', false],
    'pass one ~ for two after Enter': [['\r~~.'], '\r~.', false],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [pieces, ...expected]) => {
    expect(typeKeys(...pieces)).toEqual(expected);
  });
});
