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

  test('contains the thousands of passwords of the dictionary that have the minimum length', () => {
    const longPasswords = dictionary['passwords-common'].filter(
      (password) => Array.from(password).length >= 8,
    );
    expect(longPasswords.length).toBeGreaterThan(3000);
    expect(longPasswords.filter((password) => !isCommonPassword(password))).toEqual([]);
  });
});
