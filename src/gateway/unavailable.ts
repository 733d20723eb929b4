import { ApiError, type ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import type { Unavailable } from '#flows/builds/session-ports.ts';

/** Returns the failure of the API server as a value, for ports that do not throw. */
export function unavailable(doing: string, problem: ApiProblem): Unavailable {
  return { answer: 'unavailable', reason: new ApiError(doing, problem).message };
}
