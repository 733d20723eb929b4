import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { Identity } from '#domain/access/decide-access.ts';
import { originOf, ownOrigin } from './request-origin.ts';
import type { BrowserRules } from './session-cookie.ts';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * A browser sends the cookie whoever made it send the request: what changes something needs proof that our
 * own page did.
 */
export function refuseCrossSite(request: FastifyRequest, identity: Identity, rules: BrowserRules): void {
  if (SAFE.has(request.method)) return;
  const shown = request.headers['x-csrf-token'];
  const expected = Buffer.from(rules.csrfToken(identity.sessionId ?? ''));
  const given = Buffer.from(typeof shown === 'string' ? shown : '');
  const ours = given.length === expected.length && timingSafeEqual(given, expected);
  if (comesFromElsewhere(request, rules)) throw foreign(request, rules);
  if (ours) return;
  throw new Problem(
    'cross-site-request',
    'With the session cookie, send X-CSRF-Token with the csrf_token of GET /auth/session.',
  );
}

const START = '/auth/oauth/:canonical';

/**
 * To sign in sets a cookie: no other site may do that to a browser, with an account of its own choice. Nor
 * may it send a browser to a provider that would let the person in unasked; a link that the person follows
 * there may.
 */
export function refuseForeignSignIn(request: FastifyRequest, rules: BrowserRules): void {
  if (!comesFromElsewhere(request, rules)) return;
  const { method, routeOptions } = request;
  const refused = SAFE.has(method)
    ? routeOptions.url === START && !isAsked(request)
    : routeOptions.url?.startsWith('/auth/') === true;
  if (refused) throw foreign(request, rules);
}

/**
 * Forms that need no session, and so have no token of one, come from our own pages by the word of the
 * browser, which every browser gives with a form; who says nothing is refused.
 */
export function refuseForeignForm(request: FastifyRequest, rules: BrowserRules): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if ((origin === undefined && site === undefined) || comesFromElsewhere(request, rules)) {
    throw foreign(request, rules);
  }
}

/** The person followed a link, typed the address or opened a bookmark. */
function isAsked({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-user'] === '?1' || headers['sec-fetch-site'] === 'none';
}

/** By the word of the browser, where it gives one. Over plain HTTP most give the origin only. */
function comesFromElsewhere(request: FastifyRequest, rules: BrowserRules): boolean {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  if (site !== 'same-origin') return true;
  if (origin === undefined) return false;
  return rules.origin === undefined ? ownOrigin(request) === undefined : origin !== rules.origin;
}

/** Says what to do, as far as the request tells who can do it. */
function foreign(request: FastifyRequest, rules: BrowserRules): Problem {
  return new Problem('cross-site-request', howToOpen(request, rules));
}

function howToOpen(request: FastifyRequest, { origin: external }: BrowserRules): string {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  const own = ownOrigin(request);
  if (external !== undefined && own !== undefined && site === 'same-origin') {
    return (
      `This page was opened at ${own}, but this installation's address is ${external}. ` +
      `Open ${external}, or set externalURL in the chart's values to the address that people open.`
    );
  }
  const sender = originOf(origin);
  if (external === undefined && sender !== undefined && site === 'same-origin') {
    return (
      `The browser is at ${sender}, but the request was sent to the host ${request.host}. ` +
      "If a proxy changes the host on the way, set externalURL in the chart's values to the address that people open."
    );
  }
  return `Another site sent this request. Open ${external ?? 'Millrace'} itself, and try again there.`;
}
