import { expect, test } from '@jest/globals';
import { assert, property, string } from 'fast-check';
import { findSecretNames, makeSecretPlaceholder, replaceSecretPlaceholders } from './secret-placeholder.ts';

test.each([
  ['token', '__millrace_secret_746f6b656e__'],
  ['a-b_c.1', '__millrace_secret_612d625f632e31__'],
  ['ü', '__millrace_secret_c3bc__'],
  ['50%', '__millrace_secret_353025__'],
])('the placeholder of %j is %s', (name, placeholder) => {
  expect(makeSecretPlaceholder(name)).toBe(placeholder);
});

test('any name can be read from its placeholder, which has word characters only', () => {
  assert(
    property(string({ minLength: 1, unit: 'grapheme' }), (name) => {
      const placeholder = makeSecretPlaceholder(name);
      expect(placeholder).toMatch(/^[a-z0-9_]+$/);
      expect(findSecretNames(`x${placeholder}y`)).toEqual([name.toWellFormed()]);
    }),
  );
});

const a = makeSecretPlaceholder('a');
const b = makeSecretPlaceholder('b');

test.each([
  ['', []],
  ['nothing here', []],
  [`-H 'Authorization: ${a}'`, ['a']],
  [`${a}${b}`, ['a', 'b']],
  [`${a}_${a}`, ['a']],
  [`_${a}_`, ['a']],
  [a.toUpperCase(), []],
  ['__millrace_secret___', []],
  ['__millrace_secret_6__', []],
  ['__millrace_secret_ff__', []],
  [a.slice(0, -1), []],
])('in %j the placeholders name the secrets %j', (text, names) => {
  expect(findSecretNames(text)).toEqual(names);
});

test.each([
  [`${a}:${b}`, 'one:two'],
  [`${a}${a}`, 'oneone'],
  [`x${makeSecretPlaceholder('unknown')}x`, `x${makeSecretPlaceholder('unknown')}x`],
  ['__millrace_secret_ff__', '__millrace_secret_ff__'],
])('%j becomes %j when its placeholders are replaced', (text, expected) => {
  const values = new Map([
    ['a', 'one'],
    ['b', 'two'],
  ]);
  expect(replaceSecretPlaceholders(text, (name) => values.get(name))).toBe(expected);
});

test('the value of a secret is inserted unchanged, and placeholders in it are not replaced', () => {
  const values = new Map([
    ['a', `$& $1 ${b}`],
    ['b', 'never'],
  ]);
  expect(replaceSecretPlaceholders(a, (name) => values.get(name))).toBe(`$& $1 ${b}`);
});
