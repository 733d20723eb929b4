import type { FastifyRequest } from 'fastify';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { refuseAccess, type Identity } from '#domain/access/decide-access.ts';
import type { Authenticate } from './authenticate.ts';
import { refuseCrossSite } from './csrf.ts';
import { teamOf } from './public-access.ts';
import type { RouteRules } from './route-rules.ts';
import { sessionCookie, type BrowserRules } from './session-cookie.ts';

/**
 * Returns who sends the request, or throws a problem if they may not call the route. Nobody may call a route
 * without rules. On a public route, returns undefined for a request without credentials or with the cookie of
 * a session that has ended.
 */
export async function identify(
  { authenticate, browser }: { authenticate: Authenticate; browser?: BrowserRules | undefined },
  request: FastifyRequest,
  rules: RouteRules | undefined,
): Promise<Identity | undefined> {
  const identity = await authenticateRequest(authenticate, request, browser, rules?.needs === 'public');
  if (identity === undefined) return undefined;
  if (rules === undefined) throw new Problem('forbidden', 'Nobody may use this path.');
  const { needs, beforePasswordChange = false } = rules;
  const refusal = refuseAccess({ needs, beforePasswordChange, team: teamOf(request.params) }, identity);
  if (refusal === undefined) return identity;
  const { reason, message, ...fields } = refusal;
  throw new Problem(reason, message, { ...fields });
}

/** Whether the request has neither an `Authorization` header nor a cookie. */
export function hasNoCredentials({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.authorization === undefined && headers.cookie === undefined;
}

/**
 * Returns undefined if the route is public and the request has no credentials or only an invalid session
 * cookie.
 */
async function authenticateRequest(
  authenticate: Authenticate,
  request: FastifyRequest,
  browser: BrowserRules | undefined,
  isPublic: boolean,
): Promise<Identity | undefined> {
  const { authorization } = request.headers;
  const cookie =
    authorization === undefined && browser !== undefined ? sessionCookie(request, browser) : undefined;
  const identity = await authenticate({ authorization, cookie });
  if (identity === 'anonymous' || identity === 'invalid') {
    // A browser whose session has ended can still read what is public.
    if (isPublic && (identity === 'anonymous' || cookie !== undefined)) return undefined;
    throw new Problem('unauthenticated', UNAUTHENTICATED[identity]);
  }
  if (cookie !== undefined) refuseForged(request, identity, browser);
  return identity;
}

/**
 * Throws if another site sent a request with a session cookie. Forms are exempt here, because the API route
 * that a form calls checks the CSRF token.
 */
function refuseForged(request: FastifyRequest, identity: Identity, browser: BrowserRules | undefined): void {
  const { form = false } = request.routeOptions.config;
  if (browser !== undefined && !form) refuseCrossSite(request, identity, browser);
}

const UNAUTHENTICATED = {
  anonymous: 'Sign in, or send a token: Authorization: Bearer <token>.',
  invalid: 'The token is not valid here.',
};
