import type { FastifyRequest } from 'fastify';
import { addressGroup } from '#adapters/http/protocol/address-group.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { isRecentSignIn, type Identity } from '#domain/access/decide-access.ts';
import type { ChangeRefusal } from '#domain/access/last-admin.ts';
import type { AuditedAct, ChangeResult } from '#flows/people/ports.ts';
import type { Caller } from '#flows/people/sign-in.ts';

/** The kind of the problem for each reason of a refusal. */
const PROBLEMS = {
  'last-admin': 'last-admin',
  'managed-by-manifest': 'managed-by-manifest',
  'not-a-member': 'not-found',
  'already-a-member': 'already-exists',
} as const satisfies Record<ChangeRefusal['reason'], string>;

/** Returns the result of a change, or throws a problem that says why nothing changed. */
export function requireChanged<T>(result: ChangeResult<T> | { answer: 'fault'; message: string }): T {
  if (result.answer === 'done') return result.value;
  if (result.answer === 'unknown') throw new Problem('not-found', `${result.what} does not exist.`);
  if (result.answer === 'fault') throw new Problem('invalid-request', result.message);
  throw new Problem(PROBLEMS[result.refusal.reason], result.refusal.message);
}

/** Returns the account of the caller, or throws if the caller is not a person. */
export function accountOf(identity: Identity | undefined): Identity & { userId: number } {
  if (identity?.userId === undefined) throw new Problem('forbidden', 'Only people can do this: sign in.');
  return { ...identity, userId: identity.userId };
}

/**
 * Returns the account of a caller who signed in recently, or throws. Routes call it before they create an API
 * token, link or unlink a provider, or confirm a login of the command line.
 */
export function requireRecentSignIn(
  identity: Identity | undefined,
  now: Date,
): Identity & { userId: number } {
  const account = accountOf(identity);
  if (isRecentSignIn(account, now.getTime())) return account;
  throw signInAgain();
}

export function signInAgain(): Problem {
  return new Problem(
    'sign-in-again',
    'Sign in again first: this requires a session from the last ten minutes.',
  );
}

/** The name of the caller, which is recorded with what the caller changes. */
export function userNameOf(identity: Identity | undefined): string {
  return identity?.user ?? 'unknown';
}

/** Who makes a change, and when, for the audit log. */
export function actOf(identity: Identity | undefined, at: Date): AuditedAct {
  return { by: userNameOf(identity), at };
}

const MAX_USER_AGENT_CHARACTERS = 200;

/** Where a request comes from: for rate limits, and for the lists of sessions and logins. */
export function callerOf(request: FastifyRequest): Caller {
  const client = (request.headers['user-agent'] ?? '')
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, MAX_USER_AGENT_CHARACTERS);
  return { address: request.ip, network: addressGroup(request.ip), client };
}

export function tooManyAttempts(seconds: number): Problem {
  const detail = `Too many attempts. Try again in ${seconds} s.`;
  return new Problem('too-many-requests', detail, { retry_after: seconds });
}
