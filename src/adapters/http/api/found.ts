import { Problem } from '#adapters/http/protocol/problem.ts';

/**
 * The thing, or the problem that it is not there. `what` says it to a person: `Pipeline app in team main`.
 */
export function requireFound<T>(thing: T | undefined, what: string): T {
  if (thing === undefined) throw new Problem('not-found', `${what} does not exist.`);
  return thing;
}
