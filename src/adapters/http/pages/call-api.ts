import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { FindingSchema } from '#adapters/http/api/pipeline-results.ts';
import { defined } from '#defined';

export interface ApiCall {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  body?: Readonly<Record<string, unknown>>;
  csrfToken?: string | undefined;
}

export interface ApiResponse {
  status: number;
  /** The string fields of the response's `data`. */
  data: Readonly<Record<string, string>>;
  /** Whether a pipeline was saved, and the operator still has to decide about it. */
  isPending: boolean;
  /** The message for the user if the call failed. */
  problem: string | undefined;
  /** The findings about the text of a pipeline, whether or not the route refused the text. */
  findings: readonly Finding[];
  location: string | undefined;
  cookies: string[];
  /** The JSON of the response; an empty object if it has none. */
  json: unknown;
}

type Finding = Static<typeof FindingSchema>;

/** The part of a response that forms read. */
interface ResponseBody {
  data?: { findings?: Finding[]; warnings?: Finding[]; pending?: boolean };
  findings?: Finding[];
}

/** Headers that the call copies from the request of the browser. */
const FORWARDED_HEADERS = ['cookie', 'user-agent', 'origin', 'sec-fetch-site', 'sec-fetch-user'];

/**
 * Calls an API route for a form or page of a browser, as a program would with JSON. All checks, limits and
 * audit log entries of the route apply. The call stays inside the process.
 */
export async function callApi(request: FastifyRequest, call: ApiCall): Promise<ApiResponse> {
  const { method, url, body, csrfToken } = call;
  const forwarded = Object.entries(request.headers).filter(([name]) => FORWARDED_HEADERS.includes(name));
  const response = await request.server.inject({
    method,
    url,
    headers: {
      ...Object.fromEntries(forwarded),
      host: request.host,
      accept: 'application/json',
      ...defined({ 'x-csrf-token': csrfToken }),
    },
    remoteAddress: request.ip,
    ...(body !== undefined && { payload: { ...body } }),
  });
  const json: ResponseBody = response.payload.startsWith('{') ? JSON.parse(response.payload) : {};
  const { location } = response.headers;
  const cookies = [response.headers['set-cookie'] ?? []].flat();
  return {
    status: response.statusCode,
    data: stringFields(json.data),
    isPending: json.data?.pending === true,
    findings: findingsOf(json),
    problem: response.statusCode < 400 ? undefined : stringFields(json)['detail'],
    location: typeof location === 'string' ? location : undefined,
    cookies,
    json,
  };
}

function findingsOf({ data = {}, findings }: ResponseBody): readonly Finding[] {
  return findings ?? data.findings ?? data.warnings ?? [];
}

function stringFields(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Object(value)).flatMap(([name, field]) =>
      typeof field === 'string' ? [[name, field]] : [],
    ),
  );
}
