/** An error answer of the API: its status, and the problem in words (RFC 9457). */
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
 * Calls a route of the API as the person who views the page, and returns the `data` of its response, or the
 * response itself if it has none. Throws a `RequestProblem` with the words of the API.
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
 * The token that proves to the server that our own page sent a request. Empty for viewers who are not signed
 * in.
 */
function csrfToken(): string {
  return document.querySelector<HTMLMetaElement>('meta[name="csrf-token"]')?.content ?? '';
}
