import { describe, expect, test } from '@jest/globals';
import { refuseToken, tokenEnd, type TokenRequest, type TokenScope } from './api-token.ts';
import type { Identity } from './decide-access.ts';

const ANN: Identity = { user: 'ann', globalAdmin: false, teams: new Map([['main', 'write']]) };
const ROOT: Identity = { user: 'root', globalAdmin: true, teams: new Map() };

describe('a token is', () => {
  type Row = [
    owner: Identity | undefined,
    tokens: number,
    scope: TokenScope | undefined,
    refusal: string | undefined,
  ];
  const cases: Record<string, Row> = {
    'given to its owner with all their rights': [ANN, 0, undefined, undefined],
    'given with the role of its owner': [ANN, 0, { team: 'main', role: 'write' }, undefined],
    'given with less than that': [ANN, 0, { team: 'main', role: 'read' }, undefined],
    'refused with more than that': [ANN, 0, { team: 'main', role: 'maintain' }, 'role-too-high'],
    'refused for a team that its owner is not in': [ANN, 0, { team: 'web', role: 'read' }, 'role-too-high'],
    'given to a global admin for any team': [ROOT, 0, { team: 'web', role: 'admin' }, undefined],
    'refused to an account that is gone': [undefined, 0, undefined, 'role-too-high'],
    'given as the hundredth': [ANN, 99, undefined, undefined],
    'refused as one more than a hundred': [ANN, 100, undefined, 'too-many'],
    'refused to a global admin with a hundred, too': [ROOT, 100, undefined, 'too-many'],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [owner, tokens, scope, refusal]) => {
    expect(refuseToken(owner, tokens, scope)).toBe(refusal);
  });
});

describe('a new token', () => {
  const now = Date.parse('2026-11-21T12:00:00Z');
  const NAME = { fault: 'A token needs a name of 1 to 100 characters.' };
  const YEAR = 365 * 86_400;
  const LONGER = {
    fault:
      'Tokens expire within 365 days here. Set an earlier expires_at, ' +
      "or ask for a higher signIn.tokenMaxLifetime in the chart's values.",
  };
  const inYear = (more = 0): number => now + YEAR * 1000 + more;
  const cases: Record<string, [wanted: Partial<TokenRequest>, end: ReturnType<typeof tokenEnd>]> = {
    'ends after 90 days where nothing is said': [{}, { end: Date.parse('2027-02-19T12:00:00Z') }],
    'ends sooner where no token may last 90 days': [
      { maxLifetimeSeconds: 86_400 },
      { end: Date.parse('2026-11-22T12:00:00Z') },
    ],
    'needs a name': [{ name: '' }, NAME],
    'needs a name of more than spaces': [{ name: ' \t' }, NAME],
    'may have a name of a hundred characters': [
      { name: 'a'.repeat(100), expiresAt: inYear() },
      { end: inYear() },
    ],
    'has no longer name': [{ name: 'a'.repeat(101) }, NAME],
    'may end a moment from now': [{ expiresAt: now + 1 }, { end: now + 1 }],
    'does not end now': [{ expiresAt: now }, { fault: 'expires_at must be in the future.' }],
    'has not ended before': [
      { expiresAt: Date.parse('2026-11-21T11:59:59Z') },
      { fault: 'expires_at must be in the future.' },
    ],
    'ends at a time': [
      { expiresAt: Date.parse('soon') },
      { fault: 'expires_at must be a time like 2027-01-31T12:00:00Z.' },
    ],
    'has its name told first': [{ name: '', expiresAt: Date.parse('soon') }, NAME],
    'ends within the longest time': [{ expiresAt: inYear(1) }, LONGER],
    'ends at all where there is a longest time': [{ expiresAt: null }, LONGER],
    'may be without an end where there is none': [{ expiresAt: null, maxLifetimeSeconds: 0 }, { end: null }],
    'may end in many years where there is none': [
      { expiresAt: Date.parse('2099-01-01T00:00:00Z'), maxLifetimeSeconds: 0 },
      { end: Date.parse('2099-01-01T00:00:00Z') },
    ],
    'is told of a short longest time in seconds': [
      { expiresAt: null, maxLifetimeSeconds: 60 },
      { fault: LONGER.fault.replace('365 days', '60 seconds') },
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [wanted, end]) => {
    const asked = { name: 'a', expiresAt: undefined, maxLifetimeSeconds: YEAR, ...wanted };
    expect(tokenEnd(asked, now)).toEqual(end);
  });
});
