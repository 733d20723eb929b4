import { describe, expect, test } from '@jest/globals';
import { isRole, lowerRole, roleIncludes, ROLES, type Role } from './roles.ts';

describe('a role', () => {
  const cases: Record<string, [held: Role | undefined, needed: Role[]]> = {
    'read includes itself only': ['read', ['read']],
    'write includes read': ['write', ['read', 'write']],
    'maintain includes write': ['maintain', ['read', 'write', 'maintain']],
    'admin includes all': ['admin', ['read', 'write', 'maintain', 'admin']],
    'that does not exist includes nothing': [undefined, []],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [held, included]) => {
    expect(ROLES.filter((needed) => roleIncludes(held, needed))).toEqual(included);
  });

  test('that is limited by another one is the lower of the two', () => {
    for (const first of ROLES) {
      for (const second of ROLES) {
        expect(lowerRole(first, second)).toBe(ROLES[Math.min(ROLES.indexOf(first), ROLES.indexOf(second))]);
      }
    }
  });
});

describe('the name of a role', () => {
  const cases: Record<string, [word: unknown, isName: boolean]> = {
    'is one of four': ['maintain', true],
    'is in lower case': ['Admin', false],
    'cannot be another word': ['owner', false],
    'is not the name of a JavaScript property': ['__proto__', false],
    'is a string': [['admin'], false],
    'is not empty': [undefined, false],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [word, isName]) => expect(isRole(word)).toBe(isName));
});
