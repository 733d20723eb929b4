import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  refuseLocalLoss,
  refuseProviderLoss,
  refuseUnlink,
  usersLockedOut,
  type AccountSignIn,
  type EnabledSignIn,
} from './lock-out.ts';

const user = (username: string, hasPassword: boolean, ...linked: string[]): AccountSignIn => ({
  username,
  hasPassword,
  linked,
});
const BOTH: EnabledSignIn = { local: true, providers: ['one', 'two'] };
const WITHOUT_LOCAL: EnabledSignIn = { local: false, providers: ['one', 'two'] };
const NO_SIGN_IN: EnabledSignIn = { local: false, providers: [] };
/** User names of those who can sign in: the users who would be locked out if no way to sign in were left. */
const ableToSignIn = (users: readonly AccountSignIn[], offered: EnabledSignIn): string[] =>
  usersLockedOut(users, offered, NO_SIGN_IN);

/** Expects acceptance if `words` is undefined, else a refusal that contains them. */
const expectRefusal = (refusal: string | undefined, words: string | undefined): void => {
  if (words === undefined) expect(refusal).toBeUndefined();
  else expect(refusal).toContain(words);
};

describe('a provider can be deleted', () => {
  type Row = [users: AccountSignIn[], offered: EnabledSignIn, refusal: string | undefined];
  const cases: Record<string, Row> = {
    'if its users have passwords': [[user('ann', true, 'one')], BOTH, undefined],
    'if its users have another provider': [[user('ann', false, 'one', 'two')], BOTH, undefined],
    'if only a disabled account uses it': [[user('ann', false)], BOTH, undefined],
    'but not if it is the only way to sign in for somebody, whom the refusal names': [
      [user('ann', false, 'one'), user('bob', false, 'two')],
      BOTH,
      'one is the only way to sign in for ann.',
    ],
    'but not if passwords are turned off': [[user('ann', true, 'one')], WITHOUT_LOCAL, 'for ann.'],
    'but not if the other provider is disabled': [[user('ann', false, 'one', 'gone')], BOTH, 'for ann.'],
    'but not if it affects many, of whom the refusal names five': [
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => user(name, false, 'one')),
      BOTH,
      'a, b, c, d, e and 2 more.',
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [users, offered, refusal]) => {
    expectRefusal(refuseProviderLoss(users, 'one', offered), refusal);
  });
});

describe('passwords can be turned off', () => {
  const cases: Record<string, [users: AccountSignIn[], offered: EnabledSignIn, refusal: string | undefined]> =
    {
      'if everybody has a provider': [[user('ann', true, 'one')], BOTH, undefined],
      'but not if somebody has no provider': [
        [user('ann', true, 'one'), user('bob', true)],
        BOTH,
        'bob cannot',
      ],
      'but not if somebody’s provider is disabled': [[user('ann', true, 'gone')], BOTH, 'ann cannot'],
      'but not if there is no provider': [[], { local: true, providers: [] }, 'No provider'],
    };
  test.each(Object.entries(cases))('%s', (_sentence, [users, offered, refusal]) => {
    expectRefusal(refuseLocalLoss(users, offered), refusal);
  });
});

describe('an account can be unlinked from a provider', () => {
  const cases: Record<
    string,
    [person: AccountSignIn, provider: string, offered: EnabledSignIn, refusal: string | undefined]
  > = {
    'if it has a password': [user('ann', true, 'one'), 'one', BOTH, undefined],
    'if it has another provider': [user('ann', false, 'one', 'two'), 'one', BOTH, undefined],
    'if it cannot sign in with the provider anyway': [user('ann', false, 'gone'), 'gone', BOTH, undefined],
    'but not if passwords are turned off': [user('ann', true, 'one'), 'one', WITHOUT_LOCAL, 'only way'],
    'but not if the other provider is disabled': [user('ann', false, 'one', 'gone'), 'one', BOTH, 'only way'],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [person, provider, offered, refusal]) => {
    expectRefusal(refuseUnlink(person, provider, offered), refusal);
  });
});

describe('no account is locked out', () => {
  test('by any sequence of changes that are not refused', () => {
    const provider = fc.constantFrom('one', 'two', 'three');
    const anyStep = fc.record({
      change: fc.constantFrom('local-off', 'local-on', 'off', 'on', 'unlink'),
      provider,
      personIndex: fc.nat(3),
    });
    const users = fc.array(fc.tuple(fc.boolean(), fc.uniqueArray(provider)), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(users, fc.array(anyStep, { maxLength: 30 }), (drawnUsers, steps) => {
        let people = drawnUsers.map(([hasPassword, linked], index) =>
          user(`u${index}`, hasPassword, ...linked),
        );
        let offered: EnabledSignIn = { local: true, providers: ['one', 'two', 'three'] };
        const ableBefore = ableToSignIn(people, offered);
        for (const step of steps) ({ people, offered } = applyStep(people, offered, step));
        expect(ableToSignIn(people, offered)).toEqual(expect.arrayContaining(ableBefore));
      }),
    );
  });
});

type Step = { change: string; provider: string; personIndex: number };
function applyStep(
  people: AccountSignIn[],
  offered: EnabledSignIn,
  { change, provider, personIndex }: Step,
): { people: AccountSignIn[]; offered: EnabledSignIn } {
  const person = people[personIndex];
  switch (change) {
    case 'local-off':
      return {
        people,
        offered: refuseLocalLoss(people, offered) === undefined ? { ...offered, local: false } : offered,
      };
    case 'local-on':
      return { people, offered: { ...offered, local: true } };
    case 'on':
      return { people, offered: { ...offered, providers: [...new Set([...offered.providers, provider])] } };
    case 'off':
      if (refuseProviderLoss(people, provider, offered) !== undefined) return { people, offered };
      return {
        people,
        offered: { ...offered, providers: offered.providers.filter((name) => name !== provider) },
      };
    default:
      if (person === undefined || refuseUnlink(person, provider, offered) !== undefined)
        return { people, offered };
      return {
        offered,
        people: people.map((candidate) =>
          candidate === person
            ? { ...candidate, linked: candidate.linked.filter((link) => link !== provider) }
            : candidate,
        ),
      };
  }
}
