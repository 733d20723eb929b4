import type { FastifyRequest } from 'fastify';
import { Problem } from '#adapters/http/problem.ts';
import { refuseAccess } from '#domain/access/decide-access.ts';
import type { Identity } from '#domain/access/decide-access.ts';
import type { Authorize } from './authorize.ts';
import { refuseCrossSite } from './browser.ts';
import type { BrowserRules } from './browser.ts';
import type { Row } from './table.ts';

/** Who sends the request, if they may come where it goes; otherwise the problem. A route without a row is closed to everyone. */
export async function identify(
  { authorize, browser }: { authorize: Authorize; browser?: BrowserRules | undefined },
  request: FastifyRequest,
  row: Row | undefined,
): Promise<Identity> {
  const identity = await whoSends(authorize, request, browser);
  if (row === undefined) throw new Problem('forbidden', 'This path is closed.');
  const { needs, beforePasswordChange = false } = row;
  const refusal = refuseAccess({ needs, beforePasswordChange, team: teamOf(request.params) }, identity);
  if (refusal === undefined) return identity;
  const { reason, message, ...more } = refusal;
  throw new Problem(reason, message, { ...more });
}

async function whoSends(
  authorize: Authorize,
  request: FastifyRequest,
  browser: BrowserRules | undefined,
): Promise<Identity> {
  const { authorization, cookie: cookies = '' } = request.headers;
  const cookie =
    authorization === undefined && browser !== undefined
      ? request.server.parseCookie(cookies)[browser.cookie]
      : undefined;
  const identity = await authorize({ authorization, cookie });
  if (identity === 'anonymous') {
    throw new Problem('unauthenticated', 'Sign in, or send a token: Authorization: Bearer <token>.');
  }
  if (identity === 'invalid') throw new Problem('unauthenticated', 'The token is not valid here.');
  const { form = false } = request.routeOptions.config;
  if (cookie !== undefined && browser !== undefined && !form) refuseCrossSite(request, identity, browser);
  return identity;
}

function teamOf(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null || !('team' in params)) return undefined;
  return typeof params.team === 'string' ? params.team : undefined;
}
