import { describe, expect, test } from '@jest/globals';
import { passwordFault, usernameFault } from './names-and-passwords.ts';

describe('a username', () => {
  const good: Record<string, string> = {
    'is small letters': 'ann',
    'may be one letter': 'a',
    'may be a digit': '0',
    'may have dots, hyphens and underscores': 'ann.b-c_d',
    'may have 63 characters': 'a'.repeat(63),
  };
  test.each(Object.entries(good))('%s', (_sentence, name) => expect(usernameFault(name)).toBeUndefined());

  const bad: Record<string, string> = {
    'is not empty': '',
    'has no capital letters': 'Ann',
    'does not begin with a dot': '.ann',
    'does not begin with a hyphen': '-ann',
    'has no slash': 'an/n',
    'has no space': 'an n',
    'has no letters beyond ASCII': 'änn',
    'has no end of a line': 'a\n',
    'has no more than 63 characters': 'a'.repeat(64),
    'is no name of the language': '__proto__',
  };
  test.each(Object.entries(bad))('%s', (_sentence, name) => {
    expect(usernameFault(name)).toMatch('A username has');
  });
});

describe('a password of annabell', () => {
  const cases: Record<string, [password: string, fault: string | undefined]> = {
    'may be a sentence': ['eight characters are enough', undefined],
    'may be eight characters': ['abcdefgh', undefined],
    'may be in any script': ['пароль-из-слов', undefined],
    'is longer than seven characters': ['abcdefg', 'at least 8'],
    'is longer than seven characters of two units each': ['🙂🙃😉😊😋😌😍', 'at least 8'],
    'is not empty': ['', 'at least 8'],
    'is not one character again and again': ['aaaaaaaaaaaa', 'more than two different'],
    'is more than the username with a digit': ['annabell1', 'more than the user name'],
    'is more than that in capital letters': ['ANNABELL1', 'more than the user name'],
    'may have the username among other words': ['correct horse annabell staple', undefined],
    'is none that everybody tries first': ['sunshine', 'attackers try it first'],
    'is more than the name of the product': ['Millrace2026!', 'more than the word millrace'],
    'is more than the word for it': ['my-Password-1', 'more than the word password'],
    'may have our words among others': ['the millrace turns an old wheel', undefined],
    'may have 64 characters': ['x1yz'.repeat(16), undefined],
    'may have 256 characters': ['x1yz'.repeat(64), undefined],
    'has no more': ['x1y'.repeat(100), 'at most 256'],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [password, fault]) => {
    const found = passwordFault(password, 'annabell', (one) => one === 'sunshine');
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(fault);
  });
});
