import type { FastifyRequest } from 'fastify';

type OriginRequest = Pick<FastifyRequest, 'headers' | 'host' | 'protocol'>;

/** The origin that the browser sent, if its host is the host of the request. */
export function ownOrigin({ headers, host, protocol }: OriginRequest): string | undefined {
  const origin = originOf(headers.origin);
  if (origin === undefined || origin !== originOf(`${new URL(origin).protocol}//${host}`)) return undefined;
  // Anyone on the network may have changed a page without TLS, so its origin does not count for the host with
  // TLS.
  return protocol === 'https' && origin.startsWith('http:') ? undefined : origin;
}

/**
 * Whether the browser uses TLS, as far as the request shows it. A proxy that ends TLS need not be trusted,
 * because the browser itself names its origin.
 */
export function isEncrypted(request: OriginRequest): boolean {
  return request.protocol === 'https' || ownOrigin(request)?.startsWith('https:') === true;
}

/**
 * Normalizes an origin, so that a default port makes no difference. Undefined for `null` and for what is not
 * a web address.
 */
export function originOf(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.origin : undefined;
}
