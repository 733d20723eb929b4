import { Type } from 'typebox';
import { route } from '#adapters/http/access/route.ts';
import type { Route } from '#adapters/http/access/route.ts';
import type { PublicApi } from '#adapters/http/public-api.ts';
import type { ResourceName } from '#flows/ports.ts';
import { found } from './found.ts';
import { ResourceParams, Time, answer } from './schemas.ts';

const Check = {
  running: Type.Boolean(),
  last_checked_at: Type.Optional(Time),
  next_check_at: Type.Optional(Time),
  error: Type.Optional(Type.String()),
  /** In a row. */
  failures: Type.Integer(),
  stalled: Type.Boolean(),
  held: Type.Optional(Type.String()),
  webhook_works: Type.Boolean(),
  output: Type.String(),
};

export function checkRoutes(api: PublicApi): Route[] {
  return [lastCheckRoute(api), checkRoute(api)];
}

function lastCheckRoute(api: PublicApi): Route {
  return route({
    method: 'GET',
    url: '/teams/:team/pipelines/:pipeline/resources/:resource/check',
    schema: { params: ResourceParams, response: answer(Check) },
    handler: async ({ params }) => {
      const check = found(await api.check(params), nameOf(params));
      const { running, failures, stalled, output, error, held, webhookWorks, lastCheckedAt, nextCheckAt } =
        check;
      return {
        data: {
          running,
          failures,
          stalled,
          output,
          webhook_works: webhookWorks,
          ...(held !== undefined && { held }),
          ...(error !== undefined && { error }),
          ...(lastCheckedAt !== undefined && { last_checked_at: lastCheckedAt.toISOString() }),
          ...(nextCheckAt !== undefined && { next_check_at: nextCheckAt.toISOString() }),
        },
      };
    },
  });
}

/** Requests that arrive while a check runs become one more check. */
function checkRoute(api: PublicApi): Route {
  return route({
    method: 'POST',
    url: '/teams/:team/pipelines/:pipeline/resources/:resource/check',
    schema: {
      params: ResourceParams,
      response: { 202: Type.Object({ data: Type.Object({ resource: Type.String() }) }) },
    },
    handler: async ({ params }, reply) => {
      const answered = await api.requestCheck(params);
      found(answered === 'requested' ? answered : undefined, nameOf(params));
      return reply.code(202).send({ data: { resource: params.resource } });
    },
  });
}

export function nameOf({ team, pipeline, resource }: ResourceName): string {
  return `Resource ${resource} of pipeline ${pipeline} in team ${team}`;
}
