import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireVisible } from '#adapters/http/auth/public-access.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { isMember } from '#domain/access/decide-access.ts';
import type { PipelineName } from '#flows/names.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { JobParams, PipelineParams } from './schemas.ts';

export function badgeRoutes({ overviews, drawBadge }: PipelinePorts): Route[] {
  const send = async (
    name: PipelineName & { job?: string },
    request: Pick<FastifyRequest, 'identity' | 'params'>,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const badge = requireVisible(request, await overviews.badge(name, isMember(request.identity, name.team)));
    if (badge.public) void reply.header('cache-control', 'no-cache');
    return reply.type('image/svg+xml; charset=utf-8').send(drawBadge(badge));
  };
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/badge.svg',
      needs: 'public',
      about: 'A badge (SVG) with the name of the pipeline and the worst status of its jobs.',
      content: 'image',
      forPublic: 'same',
      schema: { params: PipelineParams },
      handler: async (request, reply) => await send(request.params, request, reply),
    }),
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job/badge.svg',
      needs: 'public',
      about:
        'A badge (SVG) with the name of the job and its status: paused, waiting for approval, or the ' +
        'outcome of its newest ended build.',
      content: 'image',
      forPublic: 'same',
      schema: { params: JobParams },
      handler: async (request, reply) => await send(request.params, request, reply),
    }),
  ];
}
