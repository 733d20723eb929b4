import type { FastifyRequest } from 'fastify';
import { addressGroup } from '#adapters/http/protocol/address-group.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { isRecentSignIn, type Identity } from '#domain/access/decide-access.ts';
import type { ChangeRefusal } from '#domain/access/last-admin.ts';
import type { Act, ChangeResult } from '#flows/people/ports.ts';
import type { Caller } from '#flows/people/sign-in.ts';

/** Types of problems, by the reason of the refusal. */
const PROBLEMS = {
  'last-admin': 'last-admin',
  'managed-by-manifest': 'managed-by-manifest',
  'not-a-member': 'not-found',
  'already-a-member': 'already-exists',
} as const satisfies Record<ChangeRefusal['reason'], string>;

/** Returns the result of a change, or throws a problem that says why nothing changed. */
export function requireChanged<T>(changed: ChangeResult<T> | { answer: 'fault'; message: string }): T {
  if (changed.answer === 'done') return changed.value;
  if (changed.answer === 'unknown') throw new Problem('not-found', `${changed.what} does not exist.`);
  if (changed.answer === 'fault') throw new Problem('invalid-request', changed.message);
  throw new Problem(PROBLEMS[changed.refusal.reason], changed.refusal.message);
}

/** Returns the account of the caller, or throws if the caller is not a person. */
export function accountOf(identity: Identity | undefined): Identity & { userId: number } {
  if (identity?.userId === undefined) throw new Problem('forbidden', 'Only people can do this: sign in.');
  return { ...identity, userId: identity.userId };
}

/**
 * Returns the account of a caller who signed in recently, or throws. Adding a way to sign in requires this.
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

/** The name of the caller, as it is recorded with what they change. */
export function userNameOf(identity: Identity | undefined): string {
  return identity?.user ?? 'unknown';
}

export function actOf(identity: Identity | undefined, at: Date): Act {
  return { by: userNameOf(identity), at };
}

const MAX_USER_AGENT_CHARACTERS = 200;

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
