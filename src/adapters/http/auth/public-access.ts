import type { FastifyRequest } from 'fastify';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { isMember } from '#domain/access/decide-access.ts';
import type { RouteRules } from './route-rules.ts';

/**
 * Whether the caller gets only what the public gets: the route needs `public`, and the caller is not a member
 * of the team.
 */
export function isNonMember({ identity, params, routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.rules?.needs === 'public' && !isMember(identity, teamOf(params) ?? '');
}

/**
 * The rules for a viewer who continues to read a stream or a log. A member must still be a member. For
 * non-members the stream itself checks that its pipeline is still public.
 */
export function rulesWhileReading(request: FastifyRequest): RouteRules | undefined {
  const { rules } = request.routeOptions.config;
  return rules?.needs === 'public' && !isNonMember(request) ? { ...rules, needs: 'read' } : rules;
}

/** The team that the path names. */
export function teamOf(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null || !('team' in params)) return undefined;
  return typeof params.team === 'string' ? params.team : undefined;
}

const PATH_PARTS = [
  ['build', 'build'],
  ['job', 'job'],
  ['resource', 'resource'],
  ['pipeline', 'pipeline'],
] as const;

/**
 * Returns the thing, or throws a `not-found` problem that is the same whether the thing does not exist or is
 * not public. The text of the problem comes from the path alone. Callers who must first change their password
 * get a problem that says so instead.
 */
export function requireVisible<T>(
  request: Pick<FastifyRequest, 'identity' | 'params'>,
  thing: T | undefined,
): T {
  if (thing !== undefined) return thing;
  if (request.identity?.mustChangePassword === true) {
    throw new Problem('password-change-required', 'Change your password first: PUT /profile/password.');
  }
  const names = new Map<string, unknown>(Object.entries(Object(request.params)));
  const path = PATH_PARTS.filter(([name]) => names.has(name)).map(
    ([name, word]) => `${word} ${String(names.get(name))}`,
  );
  throw new Problem(
    'not-found',
    `There is no public ${path.join(' of ')} in team ${String(names.get('team'))}. Sign in to see those of your teams.`,
  );
}
