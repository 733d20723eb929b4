import type { FastifyRequest } from 'fastify';

type Asked = Pick<FastifyRequest, 'headers' | 'host' | 'protocol'>;

/** The origin that the browser names, if its host is the one that the request was sent to. */
export function ownOrigin({ headers, host, protocol }: Asked): string | undefined {
  const origin = originOf(headers.origin);
  if (origin === undefined || origin !== originOf(`${new URL(origin).protocol}//${host}`)) return undefined;
  // A page without TLS may be anybody's on the way: it never speaks for the same host with TLS.
  return protocol === 'https' && origin.startsWith('http:') ? undefined : origin;
}

/** As far as we can know it: a proxy that ends TLS need not be trusted for the browser's own word. */
export function isEncrypted(request: Asked): boolean {
  return request.protocol === 'https' || ownOrigin(request)?.startsWith('https:') === true;
}

/**
 * Normalized, so that a default port makes no difference; undefined for `null` and for what is no web
 * address.
 */
export function originOf(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.origin : undefined;
}
