import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { pauseJob, pausePipeline, unpauseJob, unpausePipeline } from '#flows/pipelines/pause.ts';
import { nameOf } from './jobs.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { doneOr } from './refusal.ts';
import { answer, JobParams, PipelineParams } from './schemas.ts';

const Paused = answer({ paused: Type.Boolean() });

/** To pause what is paused changes nothing. */
export function pauseRoutes(ports: PipelinePorts): Route[] {
  return [
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/pause',
      needs: 'write',
      audit: 'pipeline.paused',
      about:
        'Pauses the pipeline and each of its jobs: resources are checked, nothing is built, running ' +
        'builds end. What is found meanwhile triggers nothing later. 409 when the manifest says ' +
        '`paused` itself.',
      schema: { params: PipelineParams, response: Paused },
      handler: async ({ params, identity }) => {
        doneOr(await pausePipeline(params, identity?.user ?? 'unknown', ports), pipelineName(params));
        return { data: { paused: true } };
      },
    }),
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/unpause',
      needs: 'write',
      audit: 'pipeline.unpaused',
      about: 'Unpauses the pipeline and each of its jobs. 409 when the manifest says `paused` itself.',
      schema: { params: PipelineParams, response: Paused },
      handler: async ({ params }) => {
        doneOr(await unpausePipeline(params, ports), pipelineName(params));
        return { data: { paused: false } };
      },
    }),
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job/pause',
      needs: 'write',
      audit: 'job.paused',
      about: 'Pauses one job.',
      schema: { params: JobParams, response: Paused },
      handler: async ({ params, identity }) => {
        doneOr(await pauseJob(params, identity?.user ?? 'unknown', ports), nameOf(params));
        return { data: { paused: true } };
      },
    }),
    route({
      method: 'POST',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job/unpause',
      needs: 'write',
      audit: 'job.unpaused',
      about: 'Unpauses one job, also while its pipeline is paused.',
      schema: { params: JobParams, response: Paused },
      handler: async ({ params }) => {
        doneOr(await unpauseJob(params, ports), nameOf(params));
        return { data: { paused: false } };
      },
    }),
  ];
}

function pipelineName({ team, pipeline }: { team: string; pipeline: string }): string {
  return `Pipeline ${pipeline} in team ${team}`;
}
