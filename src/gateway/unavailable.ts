import { ApiError, type ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import type { Unavailable } from '#flows/builds/session-ports.ts';

/**
 * Returns a failure of the API server as a value, for ports that do not throw. `operation` is what failed.
 */
export function unavailable(operation: string, problem: ApiProblem): Unavailable {
  return { answer: 'unavailable', reason: new ApiError(operation, problem).message };
}
