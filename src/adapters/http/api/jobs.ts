import { Type, type Static } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import type { RequestedCheck } from '#domain/scheduling/facts.ts';
import { describeCheck } from '#domain/scheduling/why-not-checked.ts';
import { INPUT_REASONS } from '#domain/scheduling/why-not-inputs.ts';
import { triggerJob, triggerJobAfterChecks } from '#flows/builds/trigger-job.ts';
import type { JobName } from '#flows/names.ts';
import type { JobView } from '#flows/views/ports.ts';
import { jobStateOf } from '#flows/views/show-pipeline.ts';
import { userNameOf } from './caller.ts';
import { requireFound } from './found.ts';
import { encodeInputs, givenInputs, JobInputs, MAX_TRIGGER_BODY, TriggerBody } from './job-inputs.ts';
import { nanoseconds } from './nanoseconds.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import { encodePublicJob, PUBLIC_SCHEMAS, publicData, publicList } from './public-schemas.ts';
import {
  answer,
  answerList,
  BuildStatusName,
  JobParams,
  JobStates,
  PipelineParams,
  Time,
} from './schemas.ts';
import { TriggerLimits } from './trigger-limits.ts';

export const JobSchema = {
  id: Type.Integer(),
  name: Type.String(),
  paused: Type.Boolean(),
  latest_status: Type.Optional(BuildStatusName),
  latest_build_number: Type.Optional(Type.String()),
  /** Nanoseconds. */
  latest_build_duration: Type.Optional(Type.Integer()),
  started_at: Type.Optional(Time),
  has_running: Type.Boolean(),
  ...JobStates,
  inputs: Type.Optional(JobInputs),
};

export function jobRoutes(ports: PipelinePorts): Route[] {
  const { views, publicViews } = ports;
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/jobs',
      needs: 'public',
      about:
        'The jobs of a pipeline in the order of the file, each with number, status and times of its ' +
        'newest build, for the public too.',
      schema: { params: PipelineParams, response: answerList(Type.Object(JobSchema)) },
      forPublic: {
        response: PUBLIC_SCHEMAS.jobs,
        read: async ({ params }) => publicList(await publicViews.jobs(params), encodePublicJob),
      },
      handler: async ({ params }) => {
        const jobs = requireFound(
          await views.jobs(params),
          `Pipeline ${params.pipeline} in team ${params.team}`,
        );
        return { data: jobs.map(encodeJob) };
      },
    }),
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job',
      needs: 'public',
      about: 'One job, with the fields of the job list.',
      schema: { params: JobParams, response: answer(JobSchema) },
      forPublic: {
        response: PUBLIC_SCHEMAS.job,
        read: async ({ params }) => publicData(await publicViews.job(params), encodePublicJob),
      },
      handler: async ({ params }) => ({
        data: encodeJob(requireFound(await views.job(params), nameJob(params))),
      }),
    }),
    triggerRoute(ports),
  ];
}

/** The checks that were requested before a build was created. `late`: the check did not end in time. */
export const RequestedChecks = Type.Array(
  Type.Object({
    resource: Type.String(),
    result: Type.Enum(['checked', 'failed', 'late']),
    message: Type.Optional(Type.String()),
  }),
);

export function encodeChecks(checks: readonly RequestedCheck[]): Static<typeof RequestedChecks> {
  return checks.map((check) => {
    const message = describeCheck(check);
    return { resource: check.resource, result: check.result, ...defined({ message }) };
  });
}

function triggerRoute(ports: PipelinePorts): Route {
  const triggerLimits = new TriggerLimits();
  return route({
    method: 'POST',
    url: '/teams/:team/pipelines/:pipeline/jobs/:job/trigger',
    needs: 'write',
    audit: 'job.triggered',
    about:
      'Starts a build with the newest versions that fit: 201 with its number, or 409 with the reasons why ' +
      'the job cannot run, such as an input that has none. `check=true` first checks the resources that ' +
      'the job gets without `passed`, for at most 25 seconds; `checks` says for each whether it was ' +
      '`checked`, or its check `failed` or was too `late`. 429 if too many triggers wait for checks. The ' +
      'body may have `inputs`, by name. 400 with every reason if the job does not take them, or if one ' +
      'without a default is missing; no build is created then.',
    bodyLimit: MAX_TRIGGER_BODY,
    schema: {
      params: JobParams,
      body: TriggerBody,
      querystring: Type.Object({ check: Type.Boolean({ default: false }) }),
      response: {
        201: Type.Object({
          data: Type.Object({
            job: Type.String(),
            number: Type.String(),
            url: Type.String(),
            checks: Type.Optional(RequestedChecks),
          }),
        }),
      },
    },
    handler: async ({ params, query: { check }, body, identity }, reply) => {
      const by = userNameOf(identity);
      const request = { by, ...givenInputs(body) };
      const result = check
        ? await triggerLimits.wait(by, () => triggerJobAfterChecks(params, request, ports))
        : await triggerJob(params, request, ports);
      ports.metrics.trigger(result.answer);
      if (result.answer === 'busy')
        throw new Problem('too-many-requests', TOO_MANY_TRIGGERS, { retry_after: 5 });
      if (result.answer === 'unknown') throw new Problem('not-found', `${nameJob(params)} does not exist.`);
      if (result.answer === 'refused') throw refusal(params.job, result.reasons);
      const { build, checks } = result;
      const url = buildUrl(params, build.number);
      void reply.header('location', url);
      const data = { job: params.job, number: build.number, url };
      const checkFields = checks === undefined ? {} : { checks: encodeChecks(checks) };
      return reply.code(201).send({ data: { ...data, ...checkFields } });
    },
  });
}

const TOO_MANY_TRIGGERS =
  'Too many of your triggers wait for checks. Try again when one of them has its build, or trigger without check=true.';

function refusal(job: string, reasons: { code: string; message: string }[]): Problem {
  const sentences = reasons.map(({ message }) => message).join(' ');
  if (reasons.some(({ code }) => INPUT_REASONS.has(code)))
    return new Problem('invalid-inputs', sentences, { reasons });
  return new Problem('job-cannot-run', `Job ${job} cannot run now: ${sentences}`, { reasons });
}

export function buildUrl({ team, pipeline, job }: JobName, number: string): string {
  const pipelineUrl = `/teams/${encodeURIComponent(team)}/pipelines/${encodeURIComponent(pipeline)}`;
  return `${pipelineUrl}/jobs/${encodeURIComponent(job)}/builds/${number}`;
}

export function nameJob({ team, pipeline, job }: JobName): string {
  return `Job ${job} of pipeline ${pipeline} in team ${team}`;
}

export function encodeJob(job: JobView) {
  const { id, name, paused, running, latest, inputs } = job;
  const { ended, doing } = jobStateOf(job);
  const { startedAt, endedAt } = latest ?? {};
  return {
    id,
    name,
    paused,
    has_running: running,
    ...(latest !== undefined && { latest_status: latest.status, latest_build_number: latest.number }),
    ...defined({ started_at: startedAt?.toISOString(), outcome: ended, doing }),
    ...(startedAt !== undefined &&
      endedAt !== undefined && { latest_build_duration: nanoseconds(startedAt, endedAt) }),
    ...(inputs.length > 0 && { inputs: encodeInputs(inputs) }),
  };
}
