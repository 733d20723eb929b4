import { Problem } from '#adapters/http/protocol/problem.ts';

/**
 * Returns the thing, or throws the problem that it does not exist. `what` names it for people: `Pipeline app
 * in team main`.
 */
export function requireFound<T>(thing: T | undefined, what: string): T {
  if (thing === undefined) throw new Problem('not-found', `${what} does not exist.`);
  return thing;
}
