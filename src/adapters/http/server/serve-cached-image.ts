import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import { showsNothing } from '#adapters/http/auth/identify.ts';
import { hasTag } from '#adapters/http/protocol/etag.ts';
import { answerLog } from '#adapters/telemetry/log.ts';
import type { ObserveRequest } from '#adapters/telemetry/metrics.ts';
import type { securityHeaders } from './security-headers.ts';

/** What anybody may have, whole, without anything being asked or drawn for it. */
interface AtHand {
  /** Its pattern, for the log and the metrics. */
  route: string;
  type: string;
  tag: string;
  bytes: Uint8Array;
}

/** By path and query, as they were sent; undefined says nothing about whether there is one. */
export type FindAtHand = (url: string) => AtHand | undefined;

interface Serving {
  parts: { log: FastifyBaseLogger; draining?: () => boolean; observe?: ObserveRequest };
  headers: ReturnType<typeof securityHeaders>;
  isPressed: () => boolean;
  find: FindAtHand;
  idOf: (request: IncomingMessage) => string;
}

/**
 * Answers in front of the framework, true if it did: the same answer that a route would give, headers, log
 * and metrics included, for less of the processor (ADR 0024). A picture in a page that many read is asked for
 * far more often than it changes. Only for those who say nothing of themselves, so that nobody's rights are
 * looked at here; what is not as usual goes on to its route.
 */
export function answerAtHand({ parts, headers, isPressed, find, idOf }: Serving) {
  const fixed = { ...headers.image, 'cache-control': 'no-cache' };
  const log = answerLog(parts.log);
  return (request: IncomingMessage, response: ServerResponse): boolean => {
    const begun = performance.now();
    if (request.method !== 'GET' || !showsNothing(request) || parts.draining?.() === true) return false;
    const found = find(request.url ?? '');
    if (found === undefined || isPressed()) return false;
    const { route, type, tag, bytes } = found;
    const requestId = idOf(request);
    const etag = `"${tag}"`;
    const known = hasTag(request.headers['if-none-match'], etag);
    const status = known ? 304 : 200;
    response.once('finish', () => {
      const milliseconds = performance.now() - begun;
      log({ requestId, method: 'GET', route, status, milliseconds: Math.round(milliseconds * 10) / 10 });
      parts.observe?.({ method: 'GET', route, status, seconds: milliseconds / 1000 });
    });
    if (known) response.writeHead(304, { ...fixed, 'x-request-id': requestId, etag }).end();
    else {
      const about = { 'content-type': type, 'content-length': bytes.length };
      response.writeHead(200, { ...fixed, 'x-request-id': requestId, etag, ...about }).end(bytes);
    }
    return true;
  };
}
