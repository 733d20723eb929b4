import { RequestProblem } from './api.ts';

/** What a viewer reads if a request fails: the message of the API, or that the server does not answer. */
export function problemWords(error: unknown): string {
  return error instanceof RequestProblem ? error.message : 'The server does not answer. Reload the page.';
}
