import { RequestProblem } from './api.ts';

/** The message for a viewer whose request failed: that of the API, or that the server does not answer. */
export function problemWords(error: unknown): string {
  return error instanceof RequestProblem ? error.message : 'The server does not answer. Reload the page.';
}
