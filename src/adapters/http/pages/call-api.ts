import type { FastifyRequest } from 'fastify';
import { Problem } from '#adapters/http/problem.ts';
import type { BrowserRules } from '#adapters/http/access/browser.ts';

export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  body?: Readonly<Record<string, unknown>>;
  csrfToken?: string | undefined;
}

export interface ApiAnswer {
  status: number;
  /** Of the answer's `data`, those that are texts. */
  data: Readonly<Record<string, string>>;
  /** In words, when it went wrong. */
  problem: string | undefined;
  location: string | undefined;
  cookies: string[];
}

/** What the browser itself says of the request, and what the action has to know. */
const HANDED_ON = ['cookie', 'user-agent', 'origin', 'sec-fetch-site', 'sec-fetch-user'];

/**
 * Does for a browser what a program does with JSON: the same route, with all its checks, its limits and its line in the audit log. Nothing
 * leaves the process.
 */
export async function callApi(request: FastifyRequest, call: ApiCall): Promise<ApiAnswer> {
  const { method, url, body, csrfToken } = call;
  const handedOn = Object.entries(request.headers).filter(([name]) => HANDED_ON.includes(name));
  const answer = await request.server.inject({
    method,
    url,
    headers: {
      ...Object.fromEntries(handedOn),
      accept: 'application/json',
      ...(csrfToken !== undefined && { 'x-csrf-token': csrfToken }),
    },
    remoteAddress: request.ip,
    ...(body !== undefined && { payload: { ...body } }),
  });
  const json: unknown = answer.payload.startsWith('{') ? JSON.parse(answer.payload) : {};
  const { location } = answer.headers;
  const cookies = [answer.headers['set-cookie'] ?? []].flat();
  return {
    status: answer.statusCode,
    data: textsOf(Object(json).data),
    problem: answer.statusCode < 400 ? undefined : textsOf(json)['detail'],
    location: typeof location === 'string' ? location : undefined,
    cookies,
  };
}

function textsOf(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Object(value)).flatMap(([name, one]) => (typeof one === 'string' ? [[name, one]] : [])),
  );
}

/**
 * Forms that need no session, and so have no token of one, come from our own pages by the word of the browser, which every browser gives
 * with a form; who says nothing is refused.
 */
export function refuseForeignForm(
  { headers }: FastifyRequest,
  { origin }: Pick<BrowserRules, 'origin'>,
): void {
  const { origin: from, 'sec-fetch-site': site, host = '' } = headers;
  const ours = origin === undefined ? [`https://${host}`, `http://${host}`] : [origin];
  const foreign =
    (from !== undefined && !ours.includes(from)) ||
    (site !== undefined && site !== 'same-origin') ||
    (from === undefined && site === undefined);
  if (foreign) throw new Problem('cross-site-request', 'This form was not sent from our own pages.');
}
