import type { FastifyRequest } from 'fastify';

type OriginRequest = Pick<FastifyRequest, 'headers' | 'host' | 'protocol'>;

/** Returns the origin that the browser sent if it is that of the requested host, otherwise undefined. */
export function ownOrigin({ headers, host, protocol }: OriginRequest): string | undefined {
  const origin = originOf(headers.origin);
  if (origin === undefined || origin !== originOf(`${new URL(origin).protocol}//${host}`)) return undefined;
  // An attacker on the network can change a page that came without TLS, so such a page does not count as ours
  // if this request came with TLS.
  return protocol === 'https' && origin.startsWith('http:') ? undefined : origin;
}

/**
 * Whether the browser uses TLS, as far as the request shows it. This also works behind a proxy that
 * terminates TLS and is not trusted, because the browser itself sends its origin.
 */
export function isEncrypted(request: OriginRequest): boolean {
  return request.protocol === 'https' || ownOrigin(request)?.startsWith('https:') === true;
}

/**
 * Normalizes an origin: `https://host:443` becomes `https://host`. Returns undefined for the origin `null`
 * and for anything else that is not an HTTP or HTTPS URL.
 */
export function originOf(text: string | undefined): string | undefined {
  const url = text === undefined ? null : URL.parse(text);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.origin : undefined;
}
