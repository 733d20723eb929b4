import { describe, expect, test } from '@jest/globals';
import { refuseToken, tokenEnd, type TokenRequest, type TokenScope } from './api-token.ts';
import type { Identity } from './decide-access.ts';

const ANN: Identity = { user: 'ann', globalAdmin: false, teams: new Map([['main', 'write']]) };
const ROOT: Identity = { user: 'root', globalAdmin: true, teams: new Map() };

describe('a request for an API token is', () => {
  type Row = [
    owner: Identity | undefined,
    tokens: number,
    scope: TokenScope | undefined,
    refusal: string | undefined,
  ];
  const cases: Record<string, Row> = {
    'accepted with all rights of its owner': [ANN, 0, undefined, undefined],
    'accepted with the role of its owner': [ANN, 0, { team: 'main', role: 'write' }, undefined],
    'accepted with a lower role': [ANN, 0, { team: 'main', role: 'read' }, undefined],
    'refused with a higher role': [ANN, 0, { team: 'main', role: 'maintain' }, 'role-too-high'],
    'refused for a team that its owner is not a member of': [
      ANN,
      0,
      { team: 'web', role: 'read' },
      'role-too-high',
    ],
    'accepted for any team from a global admin': [ROOT, 0, { team: 'web', role: 'admin' }, undefined],
    'refused for a deleted account': [undefined, 0, undefined, 'role-too-high'],
    'accepted for the hundredth token': [ANN, 99, undefined, undefined],
    'refused for the 101st token': [ANN, 100, undefined, 'too-many'],
    'refused for the 101st token of a global admin too': [ROOT, 100, undefined, 'too-many'],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [owner, tokens, scope, refusal]) => {
    expect(refuseToken(owner, tokens, scope)).toBe(refusal);
  });
});

describe('a new API token', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const NAME = { fault: 'A token needs a name of 1 to 100 characters.' };
  const YEAR = 365 * 86_400;
  const LONGER = {
    fault:
      'Tokens expire within 365 days here. Set an earlier expires_at, ' +
      "or ask for a higher signIn.tokenMaxLifetime in the chart's values.",
  };
  const afterOneYear = (extraMs = 0): number => now + YEAR * 1000 + extraMs;
  const cases: Record<string, [change: Partial<TokenRequest>, end: ReturnType<typeof tokenEnd>]> = {
    'expires after 90 days by default': [{}, { end: Date.parse('2027-02-19T12:00:00Z') }],
    'expires earlier if the longest lifetime is below 90 days': [
      { maxLifetimeSeconds: 86_400 },
      { end: Date.parse('2026-11-22T12:00:00Z') },
    ],
    'must have a name': [{ name: '' }, NAME],
    'must have a name of more than blanks': [{ name: ' \t' }, NAME],
    'can have a name of a hundred characters': [
      { name: 'a'.repeat(100), expiresAt: afterOneYear() },
      { end: afterOneYear() },
    ],
    'cannot have a longer name': [{ name: 'a'.repeat(101) }, NAME],
    'can expire in a moment': [{ expiresAt: now + 1 }, { end: now + 1 }],
    'cannot expire now': [{ expiresAt: now }, { fault: 'expires_at must be in the future.' }],
    'cannot expire in the past': [
      { expiresAt: Date.parse('2026-11-21T11:59:59Z') },
      { fault: 'expires_at must be in the future.' },
    ],
    'must have a valid expiry time': [
      { expiresAt: Date.parse('soon') },
      { fault: 'expires_at must be a time like 2027-01-31T12:00:00Z.' },
    ],
    'with several errors gets the one about its name': [{ name: '', expiresAt: Date.parse('soon') }, NAME],
    'must expire within the longest lifetime': [{ expiresAt: afterOneYear(1) }, LONGER],
    'must expire if there is a longest lifetime': [{ expiresAt: null }, LONGER],
    'can be valid for ever without a longest lifetime': [
      { expiresAt: null, maxLifetimeSeconds: 0 },
      { end: null },
    ],
    'can be valid for many years without a longest lifetime': [
      { expiresAt: Date.parse('2099-01-01T00:00:00Z'), maxLifetimeSeconds: 0 },
      { end: Date.parse('2099-01-01T00:00:00Z') },
    ],
    'gets a message in seconds if the longest lifetime is less than a day': [
      { expiresAt: null, maxLifetimeSeconds: 60 },
      { fault: LONGER.fault.replace('365 days', '60 seconds') },
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [change, end]) => {
    const request = { name: 'a', expiresAt: undefined, maxLifetimeSeconds: YEAR, ...change };
    expect(tokenEnd(request, now)).toEqual(end);
  });
});
