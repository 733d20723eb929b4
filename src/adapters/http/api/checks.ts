import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { requestCheck } from '#flows/checks/request-check.ts';
import type { ResourceName } from '#flows/names.ts';
import type { HooksView } from '#flows/views/ports.ts';
import { requireExists, requireFound } from './found.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { answer, ResourceParams, Time } from './schemas.ts';

const Hooks = Type.Object({
  first_version: Type.Integer(),
  last_version: Type.Integer(),
  ended_at: Time,
  error: Type.Optional(Type.String()),
  results: Type.Array(
    Type.Object({
      version_id: Type.Integer(),
      job: Type.String(),
      hook: Type.String(),
      error: Type.Optional(Type.String()),
      output: Type.String(),
    }),
  ),
});

export const CheckFields = {
  running: Type.Boolean(),
  last_checked_at: Type.Optional(Time),
  next_check_at: Type.Optional(Time),
  error: Type.Optional(Type.String()),
  /** Consecutive failures. */
  failures: Type.Integer(),
  stalled: Type.Boolean(),
  /** Why no Pod can be created for the check now. */
  held: Type.Optional(Type.String()),
  webhook_works: Type.Boolean(),
  output: Type.String(),
  hooks: Type.Optional(Hooks),
};

export function checkRoutes(ports: PipelinePorts): Route[] {
  return [lastCheckRoute(ports), checkRoute(ports)];
}

function lastCheckRoute({ views }: PipelinePorts): Route {
  return route({
    method: 'GET',
    url: '/teams/:team/pipelines/:pipeline/resources/:resource/check',
    needs: 'read',
    about:
      'The last check of a resource: when it ran, why it failed, how many checks in a row have failed, ' +
      'and its output (the last 64 KiB, secrets masked).',
    schema: { params: ResourceParams, response: answer(CheckFields) },
    handler: async ({ params }) => {
      const check = requireFound(await views.check(params), nameResource(params));
      const { running, failures, stalled, output, error, held, webhookWorks, hooks } = check;
      const { lastCheckedAt, nextCheckAt } = check;
      return {
        data: {
          running,
          failures,
          stalled,
          output,
          webhook_works: webhookWorks,
          ...defined({
            held,
            error,
            last_checked_at: lastCheckedAt?.toISOString(),
            next_check_at: nextCheckAt?.toISOString(),
          }),
          ...(hooks !== undefined && { hooks: encodeHooks(hooks) }),
        },
      };
    },
  });
}

function encodeHooks({ first, last, endedAt, error, results }: HooksView) {
  return {
    first_version: first,
    last_version: last,
    ended_at: endedAt.toISOString(),
    ...defined({ error }),
    results: results.map(({ version, ...result }) => ({ version_id: Number(version), ...result })),
  };
}

function checkRoute(ports: PipelinePorts): Route {
  return route({
    method: 'POST',
    url: '/teams/:team/pipelines/:pipeline/resources/:resource/check',
    needs: 'write',
    audit: 'resource.check_triggered',
    about: 'Requests a check now: 202. Requests that arrive while a check runs become one more check.',
    schema: {
      params: ResourceParams,
      response: { 202: Type.Object({ data: Type.Object({ resource: Type.String() }) }) },
    },
    handler: async ({ params }, reply) => {
      const result = await requestCheck(params, ports);
      ports.metrics.check(result);
      requireExists(result === 'requested', nameResource(params));
      return reply.code(202).send({ data: { resource: params.resource } });
    },
  });
}

export function nameResource({ team, pipeline, resource }: ResourceName): string {
  return `Resource ${resource} of pipeline ${pipeline} in team ${team}`;
}
