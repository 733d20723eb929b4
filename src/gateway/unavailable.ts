import { ApiError, type ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import type { Unavailable } from '#flows/builds/session-ports.ts';

/**
 * Describes a failed request to the API server as a value, for ports that do not throw. `operation`: what the
 * request was for, as in `reading Pod a/b`.
 */
export function unavailable(operation: string, problem: ApiProblem): Unavailable {
  return { answer: 'unavailable', reason: new ApiError(operation, problem).message };
}
