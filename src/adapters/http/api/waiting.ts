import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { WaitingView } from '#flows/views/ports.ts';
import { requireFound } from './found.ts';
import { nameJob } from './jobs.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { answer, JobParams, PipelineParams } from './schemas.ts';

const ReasonSchema = Type.Object({ code: Type.String(), message: Type.String() });

export const WaitingFields = {
  jobs: Type.Array(Type.Object({ name: Type.String(), reasons: Type.Array(ReasonSchema) })),
  builds: Type.Array(
    Type.Object({ job: Type.String(), number: Type.String(), reasons: Type.Array(ReasonSchema) }),
  ),
};

/** Why a pipeline or one of its jobs does not continue. */
export function waitingRoutes({ views }: PipelinePorts): Route[] {
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/waiting',
      needs: 'read',
      about:
        'Why jobs get no build and pending builds do not start, as [codes](waiting.md) and sentences. A ' +
        'job that is about to be built has no reason.',
      schema: { params: PipelineParams, response: answer(WaitingFields) },
      handler: async ({ params }) => {
        const waiting = await views.waiting(params);
        return { data: encode(requireFound(waiting, `Pipeline ${params.pipeline} in team ${params.team}`)) };
      },
    }),
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job/waiting',
      needs: 'read',
      about: 'Why one job gets no build and its pending builds do not start.',
      schema: { params: JobParams, response: answer(WaitingFields) },
      handler: async ({ params }) => {
        const waiting = await views.waiting(params);
        return { data: encode(requireFound(waiting, nameJob(params))) };
      },
    }),
  ];
}

function encode({ jobs, builds }: WaitingView) {
  return {
    jobs: jobs.map(({ name, reasons }) => ({ name, reasons: reasons.map(encodeReason) })),
    builds: builds.map(({ job, number, reasons }) => ({ job, number, reasons: reasons.map(encodeReason) })),
  };
}

function encodeReason({ code, message }: Reason): { code: string; message: string } {
  return { code, message };
}
