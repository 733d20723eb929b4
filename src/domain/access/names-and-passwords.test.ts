import { describe, expect, test } from '@jest/globals';
import { passwordFault, usernameFault } from './names-and-passwords.ts';

describe('a username', () => {
  const good: Record<string, string> = {
    'can be lower-case letters': 'ann',
    'can be one letter': 'a',
    'can be a digit': '0',
    'can have dots, hyphens and underscores': 'ann.b-c_d',
    'can have 63 characters': 'a'.repeat(63),
  };
  test.each(Object.entries(good))('%s', (_sentence, name) => expect(usernameFault(name)).toBeUndefined());

  const bad: Record<string, string> = {
    'cannot be empty': '',
    'cannot have upper-case letters': 'Ann',
    'cannot begin with a dot': '.ann',
    'cannot begin with a hyphen': '-ann',
    'cannot have a slash': 'an/n',
    'cannot have a space': 'an n',
    'cannot have letters outside of ASCII': 'änn',
    'cannot have a line end': 'a\n',
    'cannot have more than 63 characters': 'a'.repeat(64),
    'cannot be the name of a JavaScript property': '__proto__',
  };
  test.each(Object.entries(bad))('%s', (_sentence, name) => {
    expect(usernameFault(name)).toMatch('A username has');
  });
});

describe('a password of the user annabell', () => {
  const cases: Record<string, [password: string, fault: string | undefined]> = {
    'can be a sentence': ['eight characters are enough', undefined],
    'can have eight characters': ['abcdefgh', undefined],
    'can be in any script': ['пароль-из-слов', undefined],
    'cannot have seven characters': ['abcdefg', 'at least 8'],
    'cannot have seven characters of two UTF-16 units each': ['🙂🙃😉😊😋😌😍', 'at least 8'],
    'cannot be empty': ['', 'at least 8'],
    'cannot repeat one character': ['aaaaaaaaaaaa', 'more than two different'],
    'cannot be the username with a digit': ['annabell1', 'must not be the user name'],
    'cannot be the username in upper case with a digit': ['ANNABELL1', 'must not be the user name'],
    'can contain the username among other words': ['correct horse annabell staple', undefined],
    'cannot be one of the most common passwords': ['sunshine', 'attackers try it first'],
    'cannot be the name of the product': ['Millrace2026!', 'must not be the word millrace'],
    'cannot be the word password with a few characters around it': [
      'my-Password-1',
      'must not be the word password',
    ],
    'can contain the name of the product among other words': ['the millrace turns an old wheel', undefined],
    'can have 64 characters': ['x1yz'.repeat(16), undefined],
    'can have 256 characters': ['x1yz'.repeat(64), undefined],
    'cannot have 257 characters': ['x1y'.repeat(100), 'at most 256'],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [password, fault]) => {
    const actual = passwordFault(password, 'annabell', (word) => word === 'sunshine');
    if (fault === undefined) expect(actual).toBeUndefined();
    else expect(actual).toContain(fault);
  });
});
