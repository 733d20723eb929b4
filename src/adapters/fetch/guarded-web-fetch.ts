import { guardedAgent, readBounded, refuseUrl, requestTarget, type FetchOptions } from './guarded-fetch.ts';

/** The parts of `RequestInit` that libraries use here. Only forms (`URLSearchParams`) are sent as bodies. */
interface WebFetchInit {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal;
}

export interface GuardedWebFetch {
  fetch(url: string, init: WebFetchInit): Promise<Response>;
  close(): Promise<void>;
}

/**
 * The guarded client as a `fetch` function, for libraries that request URLs of users. Requires HTTPS, and an
 * address that is public or in the allowed ranges. Limits time and size, and follows no redirects. Throws a
 * `TypeError` for a URL that it refuses and for a body that is too long.
 */
export function guardedWebFetch(options: FetchOptions = {}): GuardedWebFetch {
  const { agent, timeoutMs, isReachable } = guardedAgent(options);
  return {
    async fetch(url, { method, headers, body, signal }) {
      const target = new URL(url);
      const refusal = refuseUrl(target, { rules: {}, isReachable });
      if (refusal !== undefined) throw new TypeError(refusal);
      const timeout = AbortSignal.timeout(timeoutMs);
      const answer = await agent.request({
        ...requestTarget(target),
        method: method === 'POST' ? 'POST' : 'GET',
        headers: { ...headers, 'user-agent': 'millrace', 'accept-encoding': 'identity' },
        signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
        ...(body instanceof URLSearchParams && { body: body.toString() }),
      });
      const readBody = await readBounded(answer.body, options.maxBytes ?? 256 * 1024);
      if ('failure' in readBody) throw new TypeError(readBody.failure);
      const headerPairs = Object.entries(answer.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((item): [string, string] => [name, item]),
      );
      const hasNoBody = [204, 205, 304].includes(answer.statusCode);
      return new Response(hasNoBody ? null : new Uint8Array(readBody.bytes), {
        status: answer.statusCode,
        headers: headerPairs,
      });
    },
    close: () => agent.destroy(),
  };
}
