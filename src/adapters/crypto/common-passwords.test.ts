import { describe, expect, test } from '@jest/globals';
import { dictionary } from '@zxcvbn-ts/language-common';
import { isCommonPassword } from './common-passwords.ts';

describe('the list of common passwords', () => {
  test.each(['password', 'PASSWORD', '12345678', 'qwertyuiop', 'iloveyou', 'Trustno1'])(
    'contains %s',
    (password) => {
      expect(isCommonPassword(password)).toBe(true);
    },
  );

  test.each(['correct horse battery staple', 'password of the day', '', '__proto__', 'пароль-из-слов'])(
    'does not contain %j',
    (password) => {
      expect(isCommonPassword(password)).toBe(false);
    },
  );

  test('has more than three thousand of the minimum length', () => {
    const long = dictionary['passwords-common'].filter((password) => Array.from(password).length >= 8);
    expect(long.length).toBeGreaterThan(3000);
    expect(long.filter((password) => !isCommonPassword(password))).toEqual([]);
  });
});
