import type { IncomingMessage } from 'node:http';
import { preferred } from '#adapters/http/protocol/negotiate.ts';
import { memoize } from './memoize.ts';

/** What a browser requests: a page, or the handling of a form. */
export type Medium = 'page' | 'form';

/** Returns what the browser requests, or undefined for a program, which uses JSON. */
export function mediumOf({
  method,
  headers,
}: Pick<IncomingMessage, 'method' | 'headers'>): Medium | undefined {
  if (method === 'POST') {
    return /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '') ? 'form' : undefined;
  }
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (headers.accept === undefined) return undefined;
  const negotiate = headers.accept.length > MAX_CACHED_CHARACTERS ? preferredType : cachedType;
  return negotiate(headers.accept) === 'text/html' ? 'page' : undefined;
}

/** How many Accept headers are cached: about as many as there are versions of browsers. */
const MAX_CACHED_HEADERS = 200;
/** In characters. Longer Accept headers are not cached. */
const MAX_CACHED_CHARACTERS = 300;
const preferredType = (accept: string) => preferred(accept, ['application/json', 'text/html']);
const cachedType = memoize(MAX_CACHED_HEADERS, preferredType);

/**
 * Fastify constraint that selects a handler by medium. If a path has no page, browsers get the route for
 * programs.
 */
export const byMedium = {
  name: 'medium',
  storage<Handler>() {
    const handlers = new Map<string, Handler>();
    return {
      get: (medium: string) => handlers.get(medium) ?? null,
      set: (medium: string, handler: Handler) => void handlers.set(medium, handler),
    };
  },
  validate: () => true,
  deriveConstraint: (request: IncomingMessage): string => mediumOf(request) ?? 'data',
};
