import { Problem } from '#adapters/http/protocol/problem.ts';

/**
 * Returns `found`, or throws a `not-found` problem if it is undefined. `subject` names it for people:
 * `Pipeline app in team main`.
 */
export function requireFound<T>(found: T | undefined, subject: string): T {
  requireExists(found !== undefined, subject);
  return found;
}

/** Throws a `not-found` problem if the subject does not exist. */
export function requireExists(exists: boolean, subject: string): asserts exists {
  if (!exists) throw new Problem('not-found', `${subject} does not exist.`);
}
