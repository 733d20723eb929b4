import { describe, expect, test } from '@jest/globals';
import { refuseAccountRemoval, refuseDemotion, refuseMemberChange, refuseNewMember } from './last-admin.ts';
import type { MemberFacts } from './last-admin.ts';
import { passwordFault, usernameFault } from './names-and-passwords.ts';
import type { Role } from './roles.ts';
import { parseLifetime } from './session-lifetime.ts';
import { takeAttempt } from './throttle.ts';
import type { Failures } from './throttle.ts';

describe('a session lifetime', () => {
  const cases: Record<string, number | undefined> = {
    '0': 0,
    '24h': 86_400,
    '7d': 604_800,
    '30d': 2_592_000,
    '2w': 1_209_600,
    '1M': 2_592_000,
    '1m': 60,
    '1y': 31_536_000,
    '1d12h': 129_600,
    '': undefined,
    '7': undefined,
    '-1d': undefined,
    '1.5h': undefined,
    '7 d': undefined,
    '1D': undefined,
    '999999999y': undefined,
  };
  test.each(Object.entries(cases))('%j', (text, seconds) => expect(parseLifetime(text)).toBe(seconds));
});

describe('a username', () => {
  test.each(['ann', 'a', '0', 'ann.b-c_d', 'a'.repeat(63)])('%s will do', (name) => {
    expect(usernameFault(name)).toBeUndefined();
  });
  test.each(['', 'Ann', '.ann', '-ann', 'an/n', 'an n', 'änn', 'a\n', 'a'.repeat(64), '__proto__'])(
    '%j will not',
    (name) => {
      expect(usernameFault(name)).toMatch('A username has');
    },
  );
});

describe('a password', () => {
  const cases: Record<string, string | undefined> = {
    'eight characters are enough': undefined,
    abcdefgh: undefined,
    'пароль-из-слов': undefined,
    abcdefg: 'at least 8',
    '': 'at least 8',
    aaaaaaaaaaaa: 'more than two different',
    annabell1: 'more than the username',
    'correct horse annabell staple': undefined,
    ['x1y'.repeat(100)]: 'at most 256',
  };
  test.each(Object.entries(cases))('%j', (password, fault) => {
    const found = passwordFault(password, 'annabell');
    if (fault === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(fault);
  });
});

const after = (count: number, ago: number): Failures => ({ count, lastAt: 1_000_000 - ago });

describe('attempts to sign in', () => {
  const cases: Record<string, [kind: 'account' | 'address', known: Failures | undefined, wait: number]> = {
    'the first goes': ['account', undefined, 0],
    'ten failures are free': ['account', after(9, 0), 0],
    'then one waits a second': ['account', after(10, 0), 1000],
    'less what has passed': ['account', after(10, 400), 600],
    'twice as long each time': ['account', after(13, 0), 8000],
    'never longer than a minute for an account': ['account', after(1000, 0), 60_000],
    'and then it goes': ['account', after(1000, 60_000), 0],
    'an address has a hundred free': ['address', after(99, 0), 0],
    'and waits up to five minutes': ['address', after(1000, 0), 300_000],
  };
  test.each(Object.entries(cases))('%s', (_name, [kind, known, wait]) => {
    const attempt = takeAttempt(kind, known, 1_000_000);
    expect(attempt.answer === 'wait' ? attempt.milliseconds : 0).toBe(wait);
  });

  test('are counted as failed at once, and forgotten after a quarter of an hour', () => {
    expect(takeAttempt('account', after(3, 1), 1_000_000)).toEqual({
      answer: 'go',
      failures: { count: 4, lastAt: 1_000_000 },
    });
    expect(takeAttempt('account', after(50, 15 * 60_000), 1_000_000)).toMatchObject({
      failures: { count: 1 },
    });
  });
});

const member = (role: Role | undefined, otherAdmins: number, byManifest = false): MemberFacts => ({
  role,
  otherAdmins,
  byManifest,
});

describe('the last admin of a team', () => {
  const cases: Record<string, [facts: MemberFacts, to: Role | undefined, reason: string | undefined]> = {
    'cannot leave': [member('admin', 0), undefined, 'last-admin'],
    'cannot become less': [member('admin', 0), 'maintain', 'last-admin'],
    'can stay what they are': [member('admin', 0), 'admin', undefined],
    'one of two can leave': [member('admin', 1), undefined, undefined],
    'another member can leave': [member('write', 0), undefined, undefined],
    'another member can become admin': [member('write', 0), 'admin', undefined],
    'who is no member cannot leave': [member(undefined, 1), undefined, 'not-a-member'],
    'nobody changes what a manifest names': [member('write', 3, true), 'admin', 'managed-by-manifest'],
  };
  test.each(Object.entries(cases))('%s', (_name, [known, to, reason]) => {
    expect(refuseMemberChange(known, to)?.reason).toBe(reason);
  });

  test('whoever is a member is not added again', () => {
    expect(refuseNewMember(member('read', 1), 'admin')?.reason).toBe('already-a-member');
    expect(refuseNewMember(member(undefined, 0), 'read')).toBeUndefined();
    expect(refuseNewMember(member('read', 1, true), 'admin')?.reason).toBe('managed-by-manifest');
  });
});

describe('an account', () => {
  const last = { globalAdmin: true, otherGlobalAdmins: 0, lastAdminOf: [] };
  test('of the last global admin neither goes nor is made less', () => {
    expect(refuseDemotion(last)?.reason).toBe('last-admin');
    expect(refuseAccountRemoval(last)?.reason).toBe('last-admin');
    expect(refuseAccountRemoval({ ...last, otherGlobalAdmins: 1 })).toBeUndefined();
    expect(refuseDemotion({ ...last, globalAdmin: false })).toBeUndefined();
  });
  test('of the last admin of a team does not go, and the teams are named', () => {
    const facts = { globalAdmin: false, otherGlobalAdmins: 1, lastAdminOf: ['main', 'web'] };
    expect(refuseAccountRemoval(facts)?.message).toContain('main, web');
  });
});
