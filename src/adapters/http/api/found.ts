import { Problem } from '#adapters/http/protocol/problem.ts';

/**
 * Returns what was found, or throws the problem that it does not exist. `subject` names it for people:
 * `Pipeline app in team main`.
 */
export function requireFound<T>(found: T | undefined, subject: string): T {
  requireExists(found !== undefined, subject);
  return found;
}

/** Throws the problem that the subject does not exist, unless it does. */
export function requireExists(exists: boolean, subject: string): asserts exists {
  if (!exists) throw new Problem('not-found', `${subject} does not exist.`);
}
