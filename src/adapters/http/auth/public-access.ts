import type { FastifyRequest } from 'fastify';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { isMember } from '#domain/access/decide-access.ts';
import type { RouteRules } from './route-rules.ts';

/**
 * On a path that everybody may come to: whether who asks is no member of its team, and so is shown what
 * strangers are.
 */
export function isStranger({ identity, params, routeOptions }: FastifyRequest): boolean {
  return routeOptions.config.rules?.needs === 'public' && !isMember(identity, teamOf(params) ?? '');
}

/**
 * What somebody must have to go on reading what they are reading. Members came to it as members, and are not
 * to stay as anything less; for strangers the stream itself looks whether it is public still.
 */
export function stillNeeded(request: FastifyRequest): RouteRules | undefined {
  const { rules } = request.routeOptions.config;
  return rules?.needs === 'public' && !isStranger(request) ? { ...rules, needs: 'read' } : rules;
}

/** Of the path. */
export function teamOf(params: unknown): string | undefined {
  if (typeof params !== 'object' || params === null || !('team' in params)) return undefined;
  return typeof params.team === 'string' ? params.team : undefined;
}

const PLACES = [
  ['build', 'build'],
  ['job', 'job'],
  ['resource', 'resource'],
  ['pipeline', 'pipeline'],
] as const;

/**
 * The thing, or a problem that is the same whether it is not there or not public, in words of the path alone.
 * Whoever has to change their password first is told so; that too says nothing of what there is.
 */
export function shownTo<T>(request: Pick<FastifyRequest, 'identity' | 'params'>, thing: T | undefined): T {
  if (thing !== undefined) return thing;
  if (request.identity?.mustChangePassword === true) {
    throw new Problem('password-change-required', 'Change your password first: PUT /profile/password.');
  }
  const names = new Map<string, unknown>(Object.entries(Object(request.params)));
  const what = PLACES.filter(([name]) => names.has(name)).map(
    ([name, word]) => `${word} ${String(names.get(name))}`,
  );
  throw new Problem(
    'not-found',
    `There is no ${what.join(' of a ')} in team ${String(names.get('team'))} that everybody may see. Sign in to see those of your teams.`,
  );
}
