import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { Identity } from '#domain/access/decide-access.ts';
import { originOf, ownOrigin } from './request-origin.ts';
import type { BrowserRules } from './session-cookie.ts';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Throws if a request with a session cookie may change something and does not come from one of our pages. A
 * browser can add the cookie to a request that another site starts, so the request must also have the CSRF
 * token of the session, which other sites do not know.
 */
export function refuseCrossSite(request: FastifyRequest, identity: Identity, rules: BrowserRules): void {
  if (SAFE_METHODS.has(request.method)) return;
  const header = request.headers['x-csrf-token'];
  const expected = Buffer.from(rules.csrfToken(identity.sessionId ?? ''));
  const sent = Buffer.from(typeof header === 'string' ? header : '');
  const matches = sent.length === expected.length && timingSafeEqual(sent, expected);
  if (isCrossSite(request, rules)) throw crossSiteProblem(request, rules);
  if (matches) return;
  throw new Problem('cross-site-request', sent.length === 0 ? TOKEN_MISSING : TOKEN_OF_ANOTHER_SESSION);
}

const TOKEN_MISSING = 'With the session cookie, send X-CSRF-Token with the csrf_token of GET /auth/session.';

/** People see this in a tab that was open before they signed in again. */
const TOKEN_OF_ANOTHER_SESSION =
  'This page is from an earlier session, so nothing was done. Load the page again, then repeat this.';

const OAUTH_START = '/auth/oauth/:canonical';

/**
 * Throws if another site tries to sign the browser in, because that site could then pick the account. Also
 * throws if another site redirects the browser to a provider, because some providers sign people in without
 * asking them. A request is accepted if the person followed a link to the provider.
 */
export function refuseCrossSiteSignIn(request: FastifyRequest, rules: BrowserRules): void {
  if (!isCrossSite(request, rules)) return;
  const { method, routeOptions } = request;
  const isRefused = SAFE_METHODS.has(method)
    ? routeOptions.url === OAUTH_START && !isUserNavigation(request)
    : routeOptions.url?.startsWith('/auth/') === true;
  if (isRefused) throw crossSiteProblem(request, rules);
}

/**
 * Throws if a form that needs no session, and so has no CSRF token, does not come from one of our pages.
 * Every browser sends `Origin` or `Sec-Fetch-Site` with a form; a request with neither is refused.
 */
export function refuseCrossSiteForm(request: FastifyRequest, rules: BrowserRules): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if ((origin === undefined && site === undefined) || isCrossSite(request, rules)) {
    throw crossSiteProblem(request, rules);
  }
}

/** Whether the person followed a link, typed the address or opened a bookmark. */
function isUserNavigation({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-user'] === '?1' || headers['sec-fetch-site'] === 'none';
}

/**
 * Whether `Sec-Fetch-Site` is not `same-origin`, or `Origin` is not ours. Over plain HTTP most browsers send
 * only `Origin`. Without either header the request counts as one of our own.
 */
function isCrossSite(request: FastifyRequest, rules: BrowserRules): boolean {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  if (site !== 'same-origin') return true;
  if (origin === undefined) return false;
  return rules.origin === undefined ? ownOrigin(request) === undefined : origin !== rules.origin;
}

function crossSiteProblem(request: FastifyRequest, rules: BrowserRules): Problem {
  return new Problem('cross-site-request', howToFix(request, rules));
}

function howToFix(request: FastifyRequest, { origin: external }: BrowserRules): string {
  const { origin, 'sec-fetch-site': site = 'same-origin' } = request.headers;
  const opened = ownOrigin(request);
  if (external !== undefined && opened !== undefined && site === 'same-origin') {
    return (
      `This page was opened at ${opened}, but this installation's address is ${external}. ` +
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
