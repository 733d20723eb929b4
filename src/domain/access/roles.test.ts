import { describe, expect, test } from '@jest/globals';
import { isRole, lowerRole, roleIncludes, ROLES, type Role } from './roles.ts';

describe('a role', () => {
  const cases: Record<string, [held: Role | undefined, needed: Role[]]> = {
    'read includes itself only': ['read', ['read']],
    'write includes read': ['write', ['read', 'write']],
    'maintain includes write': ['maintain', ['read', 'write', 'maintain']],
    'admin includes all': ['admin', ['read', 'write', 'maintain', 'admin']],
    'that nobody gave includes nothing': [undefined, []],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [held, included]) => {
    expect(ROLES.filter((needed) => roleIncludes(held, needed))).toEqual(included);
  });

  test('is never raised by a cap', () => {
    for (const one of ROLES) {
      for (const other of ROLES) {
        expect(lowerRole(one, other)).toBe(ROLES[Math.min(ROLES.indexOf(one), ROLES.indexOf(other))]);
      }
    }
  });
});

describe('the word of a role', () => {
  const cases: Record<string, [word: unknown, is: boolean]> = {
    'is one of the four': ['maintain', true],
    'is written small': ['Admin', false],
    'is no other': ['owner', false],
    'is no name of the language': ['__proto__', false],
    'is a text': [['admin'], false],
    'is there': [undefined, false],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [word, is]) => expect(isRole(word)).toBe(is));
});
