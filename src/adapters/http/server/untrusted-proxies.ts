import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';

/**
 * Returns a function that warns once if a request comes through a proxy and no proxy is trusted: everyone
 * behind that proxy counts as one address and shares its limits.
 */
export function warnOfUntrustedProxies(
  log: Pick<FastifyBaseLogger, 'warn'>,
  trustedProxies: readonly string[],
): (request: Pick<IncomingMessage, 'headers' | 'socket'>) => void {
  let hasWarned = trustedProxies.length > 0;
  return ({ headers, socket }) => {
    if (hasWarned || headers['x-forwarded-for'] === undefined) return;
    hasWarned = true;
    log.warn({ peer: socket.remoteAddress }, UNTRUSTED);
  };
}

const UNTRUSTED =
  'Requests arrive with X-Forwarded-For, and signIn.trustedProxies is empty: ' +
  'everyone behind the proxy counts as one address, ' +
  'so bad sign-ins of one person make all others wait. Set signIn.trustedProxies to the range of the proxy.';
