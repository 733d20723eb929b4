import type { IncomingMessage } from 'node:http';
import { preferred } from '#adapters/http/protocol/negotiate.ts';
import { remember } from './memoize.ts';

/** How a browser asks: for a page, or with a form. */
export type Medium = 'page' | 'form';

/** Undefined: a program, which speaks JSON. */
export function mediumOf({
  method,
  headers,
}: Pick<IncomingMessage, 'method' | 'headers'>): Medium | undefined {
  if (method === 'POST') {
    return /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '') ? 'form' : undefined;
  }
  if (method !== 'GET' && method !== 'HEAD') return undefined;
  if (headers.accept === undefined) return undefined;
  return (headers.accept.length > LONG ? liked : remembered)(headers.accept) === 'text/html'
    ? 'page'
    : undefined;
}

/** There are about as many as browsers; what nobody's browser sends is not kept. */
const REMEMBERED = 200;
const LONG = 300;
const liked = (accept: string) => preferred(accept, ['application/json', 'text/html']);
const remembered = remember(REMEMBERED, liked);

/** Routes of one path by medium. Where there is no page, the route for programs answers browsers too. */
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
