import { route } from '#adapters/http/access/route.ts';
import type { Route } from '#adapters/http/access/route.ts';
import type { PublicApi } from '#adapters/http/public-api.ts';
import { isMember } from '#domain/access/decide-access.ts';
import type { FastifyReply } from 'fastify';
import type { Identity } from '#domain/access/decide-access.ts';
import { shown } from './public-view.ts';
import type { Name } from './public-view.ts';
import { JobParams, PipelineParams } from './schemas.ts';

export function badgeRoutes(api: PublicApi): Route[] {
  const send = async (
    name: Name,
    identity: Identity | undefined,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const badge = shown(await api.badge(name, isMember(identity, name.team)), name);
    if (badge.public) void reply.header('cache-control', 'no-cache');
    return reply.type('image/svg+xml; charset=utf-8').send(badge.svg);
  };
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/badge.svg',
      shows: 'image',
      schema: { params: PipelineParams },
      handler: async ({ params, identity }, reply) => await send(params, identity, reply),
    }),
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job/badge.svg',
      shows: 'image',
      schema: { params: JobParams },
      handler: async ({ params, identity }, reply) => await send(params, identity, reply),
    }),
  ];
}
