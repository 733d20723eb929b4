import { timingSafeEqual } from 'node:crypto';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { Problem } from '#adapters/http/problem.ts';
import type { Identity } from '#domain/access/decide-access.ts';
import type { SessionCodec } from './session-token.ts';

/** How browsers carry a session, and what proves that a page of ours sent a request. */
export interface BrowserRules {
  cookie: string;
  /** What binds a sign-in by a provider to the browser that began it. */
  flowCookie: string;
  cookieOptions: CookieSerializeOptions;
  /** Of the external URL; undefined when the installation does not know it. */
  origin: string | undefined;
  csrfToken: SessionCodec['csrfToken'];
}

/**
 * The cookie goes to this host alone, and never into scripts. Only an installation whose address is plain HTTP has one that is sent without
 * TLS, and then not under the name that promises it.
 */
export function browserRules(
  externalUrl: string | undefined,
  codec: Pick<SessionCodec, 'csrfToken'>,
): BrowserRules {
  const secure = externalUrl?.startsWith('http:') !== true;
  return {
    cookie: secure ? '__Host-millrace-session' : 'millrace-session',
    flowCookie: secure ? '__Host-millrace-flow' : 'millrace-flow',
    cookieOptions: { path: '/', httpOnly: true, secure, sameSite: 'lax' },
    origin: externalUrl === undefined ? undefined : new URL(externalUrl).origin,
    csrfToken: (sessionId) => codec.csrfToken(sessionId),
  };
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A browser sends the cookie whoever made it send the request: what changes something needs proof that our own page did. */
export function refuseCrossSite(request: FastifyRequest, identity: Identity, rules: BrowserRules): void {
  if (SAFE.has(request.method)) return;
  const shown = request.headers['x-csrf-token'];
  const expected = Buffer.from(rules.csrfToken(identity.sessionId ?? ''));
  const given = Buffer.from(typeof shown === 'string' ? shown : '');
  const ours = given.length === expected.length && timingSafeEqual(given, expected);
  if (ours && !comesFromElsewhere(request, rules)) return;
  throw new Problem(
    'cross-site-request',
    'With the session cookie, send X-CSRF-Token with the csrf_token of GET /auth/session, from our own pages.',
  );
}

const START = '/auth/oauth/:canonical';

/**
 * To sign in sets a cookie: no other site may do that to a browser, with an account of its own choice. Nor may it send a browser to a provider that
 * would let the person in unasked; a link that the person follows there may.
 */
export function refuseForeignSignIn(request: FastifyRequest, rules: BrowserRules): void {
  if (!comesFromElsewhere(request, rules)) return;
  const { method, routeOptions } = request;
  const refused = SAFE.has(method)
    ? routeOptions.url === START && !isAsked(request)
    : routeOptions.url?.startsWith('/auth/') === true;
  if (refused) throw new Problem('cross-site-request', 'Sign in from our own pages.');
}

/** The person followed a link, typed the address or opened a bookmark. */
function isAsked({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-user'] === '?1' || headers['sec-fetch-site'] === 'none';
}

/** By the word of the browser, where it gives one. */
function comesFromElsewhere({ headers }: FastifyRequest, rules: BrowserRules): boolean {
  const { origin = rules.origin, 'sec-fetch-site': site = 'same-origin' } = headers;
  return (rules.origin !== undefined && origin !== rules.origin) || site !== 'same-origin';
}
