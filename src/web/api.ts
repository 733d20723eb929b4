/** An error response of the API: its status, and the detail of the problem (RFC 9457). */
export class RequestProblem extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = 'RequestProblem';
    this.status = status;
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * Calls the API as the viewer of the page. Returns the `data` of the response, or the whole response if it
 * has no `data`. Throws a `RequestProblem` with the message of the API if the server refuses the request, and
 * another error if the server does not answer.
 */
export async function requestApi<T>(method: Method, path: string, body?: object): Promise<T> {
  const answer = await fetch(path, {
    method,
    headers: {
      accept: 'application/json',
      ...(method === 'GET' ? {} : { 'x-csrf-token': csrfToken() }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const json = text.startsWith('{') ? JSON.parse(text) : {};
  if (!answer.ok)
    throw new RequestProblem(
      answer.status,
      json.detail ?? `The server answered ${answer.status}. Try again.`,
    );
  return json.data ?? json;
}

/**
 * The token that proves that one of Millrace's pages sent a request. Empty if the viewer is not signed in.
 */
function csrfToken(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? '';
}
