import type { Dispatcher } from 'undici';
import { defined } from '#defined';
import {
  discard,
  explainFetchFailure,
  guardedAgent,
  MALFORMED_REDIRECT,
  MAX_REDIRECTS,
  readBounded,
  refuseUrl,
  requestTarget,
  type FetchFailure,
  type FetchOptions,
} from './guarded-fetch.ts';

interface GuardedRequest {
  method: 'GET' | 'HEAD' | 'POST';
  headers: Readonly<Record<string, string>>;
  body?: string;
  allowHttp: boolean;
  maxBytes: number;
  signal: AbortSignal;
}

export type GuardedAnswer =
  | { status: number; headers: Readonly<Record<string, string>>; bytes: Buffer }
  | FetchFailure;

export interface GuardedRequests {
  /**
   * Follows redirects, except those of a POST, whose body may hold credentials. The header `authorization` is
   * sent to the first origin only.
   */
  send(this: void, url: string, request: GuardedRequest): Promise<GuardedAnswer>;
  close(): Promise<void>;
}

/**
 * A client like `guardedFetch` that also sends headers and returns responses of any status. For protocols
 * such as that of image registries, on hosts that users choose.
 */
export function guardedRequests(options: FetchOptions = {}): GuardedRequests {
  const { agent, timeoutMs, isReachable } = guardedAgent(options);
  return {
    async send(url, guardedRequest) {
      const signal = AbortSignal.any([guardedRequest.signal, AbortSignal.timeout(timeoutMs)]);
      try {
        return await follow(new URL(url), { ...guardedRequest, signal, agent, isReachable });
      } catch (error) {
        return explainFetchFailure(error, signal);
      }
    },
    close: () => agent.destroy(),
  };
}

type Attempt = GuardedRequest & Pick<ReturnType<typeof guardedAgent>, 'agent' | 'isReachable'>;

async function follow(first: URL, attempt: Attempt): Promise<GuardedAnswer> {
  const { agent, signal, method, body, allowHttp, isReachable } = attempt;
  let url = first;
  for (let redirectCount = 0; redirectCount <= MAX_REDIRECTS; redirectCount++) {
    const refusal = refuseUrl(url, { rules: { allowHttp }, isReachable });
    if (refusal !== undefined) return { failure: refusal, transient: false };
    const headers = { ...headersFor(url, first, attempt), 'accept-encoding': 'identity' };
    const answer = await agent.request({
      ...requestTarget(url),
      signal,
      method,
      headers,
      ...defined({ body }),
    });
    const location = [answer.headers['location']].flat()[0];
    if (location === undefined || method === 'POST' || !REDIRECTS.has(answer.statusCode))
      return await readAnswer(answer, attempt);
    discard(answer.body);
    const target = URL.parse(location, url.href);
    if (target === null) return MALFORMED_REDIRECT;
    url = target;
  }
  return { failure: `it redirects more than ${MAX_REDIRECTS} times`, transient: false };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function headersFor(url: URL, first: URL, { headers }: Attempt): Record<string, string> {
  const { authorization, ...others } = headers;
  const safeHeaders = { 'user-agent': 'millrace', ...others };
  if (authorization === undefined || url.origin !== first.origin) return safeHeaders;
  return { ...safeHeaders, authorization };
}

async function readAnswer(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { maxBytes }: Attempt,
): Promise<GuardedAnswer> {
  const readBody = await readBounded(body, maxBytes);
  if ('failure' in readBody) return readBody;
  const joinedHeaders = Object.entries(headers).map(([name, value]) => [
    name,
    [value ?? ''].flat().join(', '),
  ]);
  return { status: statusCode, headers: Object.fromEntries(joinedHeaders), bytes: readBody.bytes };
}
