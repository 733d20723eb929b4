import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { pauseJob, pausePipeline, unpauseJob, unpausePipeline } from '#flows/pipelines/pause.ts';
import { userNameOf } from './caller.ts';
import { nameJob } from './jobs.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { requireDone } from './refusal.ts';
import { answer, JobParams, PipelineParams } from './schemas.ts';

const PausedResponse = answer({ paused: Type.Boolean() });

/** Pauses and unpauses pipelines and jobs. */
export function pauseRoutes(ports: PipelinePorts): Route[] {
  return [
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/pause',
      needs: 'write',
      audit: 'pipeline.paused',
      about:
        'Pauses the pipeline and all its jobs: resources are checked, no build starts, running builds ' +
        'finish. Versions found meanwhile do not trigger later. 409 if the manifest sets `paused`.',
      schema: { params: PipelineParams, response: PausedResponse },
      handler: async ({ params, identity }) => {
        requireDone(await pausePipeline(params, userNameOf(identity), ports), pipelineName(params));
        return { data: { paused: true } };
      },
    }),
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/unpause',
      needs: 'write',
      audit: 'pipeline.unpaused',
      about: 'Unpauses the pipeline and all its jobs. 409 if the manifest sets `paused`.',
      schema: { params: PipelineParams, response: PausedResponse },
      handler: async ({ params }) => {
        requireDone(await unpausePipeline(params, ports), pipelineName(params));
        return { data: { paused: false } };
      },
    }),
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job/pause',
      needs: 'write',
      audit: 'job.paused',
      about: 'Pauses one job.',
      schema: { params: JobParams, response: PausedResponse },
      handler: async ({ params, identity }) => {
        requireDone(await pauseJob(params, userNameOf(identity), ports), nameJob(params));
        return { data: { paused: true } };
      },
    }),
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job/unpause',
      needs: 'write',
      audit: 'job.unpaused',
      about: 'Unpauses one job, even while its pipeline is paused.',
      schema: { params: JobParams, response: PausedResponse },
      handler: async ({ params }) => {
        requireDone(await unpauseJob(params, ports), nameJob(params));
        return { data: { paused: false } };
      },
    }),
  ];
}

function pipelineName({ team, pipeline }: { team: string; pipeline: string }): string {
  return `Pipeline ${pipeline} in team ${team}`;
}
