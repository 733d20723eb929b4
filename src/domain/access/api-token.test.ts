import { describe, expect, test } from '@jest/globals';
import { refuseToken, tokenFault } from './api-token.ts';
import type { TokenScope } from './api-token.ts';
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
  const now = new Date('2026-11-21T12:00:00Z');
  const NAME = 'A token has a name of 1 to 100 characters.';
  const cases: Record<string, [wanted: { name: string; expiresAt?: Date }, fault: string | undefined]> = {
    'needs no end': [{ name: 'deploy' }, undefined],
    'needs a name': [{ name: '' }, NAME],
    'needs a name of more than spaces': [{ name: ' \t' }, NAME],
    'may have a name of a hundred characters': [{ name: 'a'.repeat(100) }, undefined],
    'has no longer name': [{ name: 'a'.repeat(101) }, NAME],
    'may end a moment from now': [{ name: 'a', expiresAt: new Date(now.getTime() + 1) }, undefined],
    'does not end now': [{ name: 'a', expiresAt: now }, 'expires_at is a time to come.'],
    'has not ended before': [
      { name: 'a', expiresAt: new Date('2026-11-21T11:59:59Z') },
      'expires_at is a time to come.',
    ],
    'ends at a time': [
      { name: 'a', expiresAt: new Date('soon') },
      'expires_at is a time like 2027-01-31T12:00:00Z.',
    ],
    'has its name told first': [{ name: '', expiresAt: new Date('soon') }, NAME],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [wanted, fault]) => {
    expect(tokenFault(wanted, now)).toBe(fault);
  });
});
