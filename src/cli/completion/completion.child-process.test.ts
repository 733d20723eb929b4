import { execFileSync } from 'node:child_process';
import { beforeAll, expect, test } from '@jest/globals';
import { millrace } from '#testing/cli/command-line.ts';

/** Prints what bash offers while the user types the last of the given words. */
const OFFER = `
eval "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
_millrace
printf '%s ' "\${COMPREPLY[@]}"
`;

let script: string;
beforeAll(async () => {
  script = (await millrace('millrace completion bash')).out;
});

const offer = (...words: string[]): string =>
  execFileSync('bash', ['--norc', '-c', OFFER, 'bash', script, ...words], { encoding: 'utf8' }).trim();

test.each([
  ['the beginning of a command', ['pipel'], 'pipelines'],
  ['a command and a space', ['contexts', ''], 'list use set-team delete help'],
  ['a dash', ['contexts', 'use', '-'], '--color --help -h'],
  [
    'the beginning of an option, after other options',
    ['jobs', 'list', '--team', 'shop', '--con'],
    '--context',
  ],
  [
    'an option whose values are known',
    ['builds', 'list', '--status', ''],
    'pending waiting started succeeded failed cancelled warning',
  ],
  ['--output of a list', ['jobs', 'list', '-o', ''], 'text wide name json yaml jsonpath='],
  ['--output of a command that changes something', ['builds', 'cancel', '--output', 'j'], 'json jsonpath='],
  // The script offers nothing, so bash offers files.
  ['an option that takes any value', ['validate', '--vars', ''], ''],
  ['an argument whose values are known', ['completion', 'z'], 'zsh'],
])('after %s, bash offers what may follow', (_, words, expected) => {
  expect(offer('millrace', ...words)).toBe(expected);
});
