import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';

/**
 * Says once that a proxy stands in front of us which nobody told us to trust: everybody behind it counts as
 * one address, and shares its limits.
 */
export function noticeProxies(
  log: Pick<FastifyBaseLogger, 'warn'>,
  trustedProxies: readonly string[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => void {
  let silent = trustedProxies.length > 0;
  return ({ headers, socket }) => {
    if (silent || headers['x-forwarded-for'] === undefined) return;
    silent = true;
    log.warn({ peer: socket.remoteAddress }, UNTRUSTED);
  };
}

const UNTRUSTED =
  'Requests arrive with X-Forwarded-For, and signIn.trustedProxies is empty: everyone behind the proxy counts as one address, ' +
  'so bad sign-ins of one person make all others wait. Set signIn.trustedProxies to the range of the proxy.';
