import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import {
  lockedOut,
  refuseLocalLoss,
  refuseProviderLoss,
  refuseUnlink,
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

/** Undefined: it may be done. Else a part of what is said. */
const expectRefusal = (refusal: string | undefined, words: string | undefined): void => {
  if (words === undefined) expect(refusal).toBeUndefined();
  else expect(refusal).toContain(words);
};

describe('a provider may go', () => {
  type Row = [users: AccountSignIn[], offered: EnabledSignIn, refusal: string | undefined];
  const cases: Record<string, Row> = {
    'when its people have passwords': [[user('ann', true, 'one')], BOTH, undefined],
    'when its people have another': [[user('ann', false, 'one', 'two')], BOTH, undefined],
    'when only somebody who cannot sign in anyway is there': [[user('ann', false)], BOTH, undefined],
    'but not when it is the only way, and says for whom': [
      [user('ann', false, 'one'), user('bob', false, 'two')],
      BOTH,
      'one is the only way to sign in for ann.',
    ],
    'but not when passwords are turned off': [[user('ann', true, 'one')], WITHOUT_LOCAL, 'for ann.'],
    'but not when the other is not enabled': [[user('ann', false, 'one', 'gone')], BOTH, 'for ann.'],
    'but not for many, of whom it names five': [
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => user(name, false, 'one')),
      BOTH,
      'a, b, c, d, e and 2 more.',
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [users, offered, refusal]) => {
    expectRefusal(refuseProviderLoss(users, 'one', offered), refusal);
  });
});

describe('passwords may be turned off', () => {
  const cases: Record<string, [users: AccountSignIn[], offered: EnabledSignIn, refusal: string | undefined]> =
    {
      'when everybody has a provider': [[user('ann', true, 'one')], BOTH, undefined],
      'but not when somebody has none': [[user('ann', true, 'one'), user('bob', true)], BOTH, 'bob cannot'],
      'but not when theirs is not enabled': [[user('ann', true, 'gone')], BOTH, 'ann cannot'],
      'but not when there is no provider': [[], { local: true, providers: [] }, 'No provider'],
    };
  test.each(Object.entries(cases))('%s', (_sentence, [users, offered, refusal]) => {
    expectRefusal(refuseLocalLoss(users, offered), refusal);
  });
});

describe('a link may be given up', () => {
  const cases: Record<
    string,
    [who: AccountSignIn, provider: string, offered: EnabledSignIn, refusal: string | undefined]
  > = {
    'by who has a password': [user('ann', true, 'one'), 'one', BOTH, undefined],
    'by who has another': [user('ann', false, 'one', 'two'), 'one', BOTH, undefined],
    'by who cannot sign in with it anyway': [user('ann', false, 'gone'), 'gone', BOTH, undefined],
    'but not when passwords are turned off': [user('ann', true, 'one'), 'one', WITHOUT_LOCAL, 'only way'],
    'but not when the other is not enabled': [user('ann', false, 'one', 'gone'), 'one', BOTH, 'only way'],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [who, provider, offered, refusal]) => {
    expectRefusal(refuseUnlink(who, provider, offered), refusal);
  });
});

describe('nobody is locked out', () => {
  test('by any order of these changes', () => {
    const provider = fc.constantFrom('one', 'two', 'three');
    const step = fc.record({
      what: fc.constantFrom('local-off', 'local-on', 'off', 'on', 'unlink'),
      provider,
      who: fc.nat(3),
    });
    const users = fc.array(fc.tuple(fc.boolean(), fc.uniqueArray(provider)), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(users, fc.array(step, { maxLength: 30 }), (made, steps) => {
        let people = made.map(([hasPassword, linked], index) => user(`u${index}`, hasPassword, ...linked));
        let offered: EnabledSignIn = { local: true, providers: ['one', 'two', 'three'] };
        const able = new Set(
          people
            .filter((one) => lockedOut([one], offered, { local: false, providers: [] }).length > 0)
            .map(({ username }) => username),
        );
        for (const one of steps) ({ people, offered } = play(people, offered, one));
        const still = people.filter(
          (person) => lockedOut([person], offered, { local: false, providers: [] }).length > 0,
        );
        for (const username of able) expect(still.map((person) => person.username)).toContain(username);
      }),
    );
  });
});

type Step = { what: string; provider: string; who: number };
function play(
  people: AccountSignIn[],
  offered: EnabledSignIn,
  { what, provider, who }: Step,
): { people: AccountSignIn[]; offered: EnabledSignIn } {
  const person = people[who];
  switch (what) {
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
        offered: { ...offered, providers: offered.providers.filter((one) => one !== provider) },
      };
    default:
      if (person === undefined || refuseUnlink(person, provider, offered) !== undefined)
        return { people, offered };
      return {
        offered,
        people: people.map((one) =>
          one === person ? { ...one, linked: one.linked.filter((link) => link !== provider) } : one,
        ),
      };
  }
}
