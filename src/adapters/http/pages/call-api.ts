import type { FastifyRequest } from 'fastify';
import { defined } from '#defined';

export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  body?: Readonly<Record<string, unknown>>;
  csrfToken?: string | undefined;
}

export interface ApiResponse {
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
 * Does for a browser what a program does with JSON: the same route, with all its checks, its limits and its
 * line in the audit log. Nothing leaves the process.
 */
export async function callApi(request: FastifyRequest, call: ApiCall): Promise<ApiResponse> {
  const { method, url, body, csrfToken } = call;
  const handedOn = Object.entries(request.headers).filter(([name]) => HANDED_ON.includes(name));
  const answer = await request.server.inject({
    method,
    url,
    headers: {
      ...Object.fromEntries(handedOn),
      host: request.host,
      accept: 'application/json',
      ...defined({ 'x-csrf-token': csrfToken }),
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
