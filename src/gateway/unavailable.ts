import { ApiError, type ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import type { Unavailable } from '#flows/builds/session-ports.ts';

/** For ports that answer a failing API server as a value. */
export function unavailable(doing: string, problem: ApiProblem): Unavailable {
  return { answer: 'unavailable', reason: new ApiError(doing, problem).message };
}
