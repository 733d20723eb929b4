import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/access/route.ts';
import type { PipelinePorts } from '#adapters/http/ports.ts';
import type { PipelineView } from '#flows/views/ports.ts';
import { found } from './found.ts';
import { answer, answerList, PipelineParams, TeamParams } from './schemas.ts';
import { encodeShownPipeline, SHOWN, shownOne } from './shown.ts';

export const Pipeline = {
  id: Type.Integer(),
  team: Type.String(),
  name: Type.String(),
  display_name: Type.Optional(Type.String()),
  public: Type.Boolean(),
  paused: Type.Boolean(),
  revision: Type.Integer(),
  jobs: Type.Integer(),
  resources: Type.Integer(),
};

export function pipelineRoutes({ views, publicViews }: PipelinePorts): Route[] {
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines',
      needs: 'read',
      about: 'The pipelines of a team.',
      schema: { params: TeamParams, response: answerList(Type.Object(Pipeline)) },
      handler: async ({ params }) => ({ data: (await views.pipelines(params.team)).map(encodePipeline) }),
    }),
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline',
      needs: 'public',
      about:
        'One pipeline. The public gets its names, whether it is paused, and how many jobs and ' +
        'resources it has.',
      schema: { params: PipelineParams, response: answer(Pipeline) },
      strangers: {
        answer: SHOWN.pipeline,
        read: async ({ params }) => shownOne(await publicViews.pipeline(params), encodeShownPipeline),
      },
      handler: async ({ params }) => ({
        data: encodePipeline(
          found(await views.pipeline(params), `Pipeline ${params.pipeline} in team ${params.team}`),
        ),
      }),
    }),
  ];
}

export function encodePipeline({ displayName, ...rest }: PipelineView) {
  return { ...rest, ...(displayName !== undefined && { display_name: displayName }) };
}
