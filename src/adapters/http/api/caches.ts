import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { keyOfJobCache } from '#domain/planning/job-cache-key.ts';
import { listCaches, type StoredCache } from '#domain/planning/list-cache-volumes.ts';
import type { AccessPorts } from './access-ports.ts';
import { actOf } from './caller.ts';
import { nameResource } from './checks.ts';
import { requireExists, requireFound } from './found.ts';
import { Nothing } from './request-bodies.ts';
import { answerList, PipelineParams, ResourceParams, Time } from './schemas.ts';

export const CacheFields = Type.Object({
  resource: Type.String(),
  key: Type.Optional(
    Type.String({ description: 'Of the cache of a job: its key as the pipeline writes it.' }),
  ),
  size_bytes: Type.Optional(
    Type.Integer({ description: 'What its files took when the last build used it, if that is known.' }),
  ),
  last_used_at: Type.Optional(Time),
  used_by: Type.Optional(
    Type.String({ description: 'What uses it now: a build, `<job>/<number>`, or `check`.' }),
  ),
  reason: Type.Optional(
    Type.String({ description: 'Why the last build or check that wanted it ran without it.' }),
  ),
});

/** Caches of resources and jobs. */
export function cacheRoutes({ caches, now }: AccessPorts): Route[] {
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/caches',
      needs: 'read',
      about:
        'The caches of the resources and jobs of a pipeline: size, last use, and a build or check that ' +
        'uses each now. The cache of a job is named `<job>:<cache>`.',
      schema: { params: PipelineParams, response: answerList(CacheFields) },
      handler: async ({ params }) => {
        const { team, pipeline } = params;
        const found = requireFound(await caches.cachesOf(params), `Pipeline ${pipeline} in team ${team}`);
        const { definition, stored } = found;
        const data = listCaches(definition, stored).map((cache) => ({
          ...encode(cache),
          ...defined({ key: keyOfJobCache(definition, cache.resource) }),
        }));
        return { data };
      },
    }),
    route({
      method: 'DELETE',
      url: '/teams/:team/pipelines/:pipeline/caches/:resource',
      needs: 'write',
      about:
        'Clears the cache of a resource, or of a job: `<job>:<cache>`. The next build or check starts with an ' +
        'empty one. What uses it now keeps it to its end. 404 if nothing has used the cache since it was last cleared.',
      schema: { params: ResourceParams, response: Nothing },
      handler: async ({ params, identity }, reply) => {
        const cleared = await caches.clearCache(params, actOf(identity, now()));
        requireExists(cleared, `A cache of ${nameResource(params)}`);
        return reply.code(204).send(undefined);
      },
    }),
  ];
}

function encode({ resource, bytes, usedAt, usedBy, leftOut }: StoredCache) {
  return defined({
    resource,
    size_bytes: bytes,
    last_used_at: usedAt === undefined ? undefined : new Date(usedAt).toISOString(),
    used_by: typeof usedBy === 'object' ? `${usedBy.job}/${usedBy.number}` : usedBy,
    reason: leftOut,
  });
}
