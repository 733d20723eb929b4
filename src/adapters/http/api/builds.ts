import { Type } from 'typebox';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import type { BuildRef } from '#flows/names.ts';
import type { BuildDetail, BuildView } from '#flows/views/ports.ts';
import { requireFound } from './found.ts';
import { encodeChecks, nameJob, RequestedChecks } from './jobs.ts';
import { nanoseconds } from './nanoseconds.ts';
import type { PipelinePorts } from './pipeline-ports.ts';
import {
  encodePublicBuild,
  encodePublicBuildDetail,
  PUBLIC_SCHEMAS,
  publicData,
  publicPage,
} from './public-schemas.ts';
import {
  answer,
  answerPage,
  BUILD_PATH,
  BuildParams,
  BuildStatusName,
  JobParams,
  PageQuery,
  Strings,
  Time,
} from './schemas.ts';

const InputValues = Type.Record(Type.String(), Type.String(), {
  description: "Values of the job's inputs, as `$INPUT_<NAME>` holds them. Absent: the build has none.",
});

export const BuildSchema = {
  id: Type.Integer(),
  number: Type.String(),
  status: BuildStatusName,
  attempt: Type.Integer(),
  reason: Type.Optional(Type.String()),
  message: Type.Optional(Type.String()),
  cancelled_by: Type.Optional(Type.String()),
  marked_warning_by: Type.Optional(Type.String()),
  created_at: Time,
  started_at: Type.Optional(Time),
  ended_at: Type.Optional(Time),
  /** Nanoseconds. */
  duration: Type.Optional(Type.Integer()),
  input_values: Type.Optional(InputValues),
};

const Input = Type.Object({
  name: Type.String(),
  resource: Type.String(),
  version_id: Type.Integer(),
  version: Strings,
});

const Output = Type.Object({ resource: Type.String(), version_id: Type.Integer(), version: Strings });

const StepSchema = Type.Object({
  id: Type.String(),
  kind: Type.Enum(['get', 'task', 'put', 'notify', 'command', 'service', 'parallel', 'branch']),
  name: Type.String(),
  resource: Type.Optional(Type.String()),
  /** Id of the group, branch or step that this step is part of. */
  parent: Type.Optional(Type.String()),
  hook: Type.Optional(Type.Enum(['on_success', 'on_failure', 'on_cancel', 'ensure'])),
  /** Number of this run of the step, if the step was run again. Absent for the first run. */
  attempt: Type.Optional(Type.Integer()),
  status: Type.Enum(['waiting', 'started', 'succeeded', 'failed', 'cancelled', 'skipped']),
  started_at: Type.Optional(Time),
  ended_at: Type.Optional(Time),
  exit_code: Type.Optional(Type.Integer()),
  message: Type.Optional(Type.String()),
  /** What a resource type with a `protocol` reports about the version of a get or put. */
  metadata: Type.Optional(Type.Array(Type.Object({ name: Type.String(), value: Type.String() }))),
});

const Approval = Type.Object(
  {
    needed: Type.Integer(),
    votes: Type.Array(
      Type.Object({
        by: Type.String(),
        approve: Type.Boolean(),
        message: Type.Optional(Type.String()),
        at: Time,
      }),
    ),
  },
  { description: 'Votes so far, and how many people must approve. Absent: the job asks for no approval.' },
);

export const BuildDetailFields = {
  ...BuildSchema,
  inputs: Type.Array(Input),
  /** The versions that the puts of the last attempt of the build made. */
  outputs: Type.Array(Output),
  checks: Type.Optional(RequestedChecks),
  /** When the concurrency limits let the build start. */
  admitted_at: Type.Optional(Time),
  /** When the Pod of the build's last attempt was created, or when that attempt took a warm Pod. */
  pod_created_at: Type.Optional(Time),
  /** Whether the last attempt of the build took a warm Pod. */
  warm_pod: Type.Optional(Type.Boolean()),
  /**
   * When the Pod of the last attempt got its node. Absent if the Pod has none yet, if nobody observed when it
   * got the node, or if it was a warm Pod.
   */
  pod_scheduled_at: Type.Optional(Time),
  /**
   * When the last container of the Pod of the last attempt started. By then, the kubelet had pulled all
   * images.
   */
  containers_started_at: Type.Optional(Time),
  approval: Type.Optional(Approval),
  steps: Type.Array(StepSchema),
};

export function buildRoutes({ views, publicViews }: PipelinePorts): Route[] {
  return [
    route({
      method: 'GET',
      url: '/teams/:team/pipelines/:pipeline/jobs/:job/builds',
      needs: 'public',
      about:
        'The builds of a job, newest first, in pages; `status` selects those with that status. The public ' +
        'gets id, number, status and times.',
      schema: {
        params: JobParams,
        querystring: Type.Object({ ...PageQuery, status: Type.Optional(BuildStatusName) }),
        response: answerPage(Type.Object(BuildSchema)),
      },
      forPublic: {
        response: PUBLIC_SCHEMAS.builds,
        read: async ({ params, query }) =>
          publicPage(await publicViews.builds(params, query), encodePublicBuild),
      },
      handler: async ({ params, query }) => {
        const { rows, hasMore } = requireFound(await views.builds(params, query), nameJob(params));
        return { data: rows.map(encode), has_more: hasMore };
      },
    }),
    route({
      method: 'GET',
      url: BUILD_PATH,
      needs: 'public',
      about:
        'One build with its inputs and steps. The public gets id, number, status and times, and the kind, ' +
        'name, resource, status and times of each step; no inputs, messages or exit codes.',
      schema: {
        params: BuildParams,
        response: answer(BuildDetailFields),
      },
      forPublic: {
        response: PUBLIC_SCHEMAS.build,
        read: async ({ params }) =>
          publicData(await publicViews.build(refOf(params)), encodePublicBuildDetail),
      },
      handler: async ({ params }) => {
        const ref = refOf(params);
        return { data: encodeDetail(requireFound(await views.build(ref), nameBuild(ref))) };
      },
    }),
  ];
}

export function refOf(params: { team: string; pipeline: string; job: string; build: string }): BuildRef {
  return { team: params.team, pipeline: params.pipeline, job: params.job, number: params.build };
}

export function nameBuild(ref: BuildRef): string {
  return `Build ${ref.number} of job ${ref.job} of pipeline ${ref.pipeline} in team ${ref.team}`;
}

function encode(build: BuildView) {
  const { id, number, status, attempt, reason, message, createdAt, startedAt, endedAt } = build;
  const { cancelledBy, warnedBy, inputValues } = build;
  return {
    id,
    number,
    status,
    attempt,
    ...defined({ reason, message, cancelled_by: cancelledBy, marked_warning_by: warnedBy }),
    created_at: createdAt.toISOString(),
    ...defined({ started_at: startedAt?.toISOString(), ended_at: endedAt?.toISOString() }),
    ...(startedAt !== undefined && endedAt !== undefined && { duration: nanoseconds(startedAt, endedAt) }),
    ...(Object.keys(inputValues).length > 0 && { input_values: inputValues }),
  };
}

export function encodeDetail(build: BuildDetail) {
  return {
    ...encode(build),
    inputs: build.inputs.map(({ name, resource, version, fields }) => ({
      name,
      resource,
      version_id: version,
      version: fields,
    })),
    outputs: build.outputs.map(({ resource, version, fields }) => ({
      resource,
      version_id: version,
      version: fields,
    })),
    ...(build.checks !== undefined && { checks: encodeChecks(build.checks) }),
    ...defined({
      admitted_at: build.admittedAt?.toISOString(),
      pod_created_at: build.podCreatedAt?.toISOString(),
      warm_pod: build.warmPod,
      pod_scheduled_at: build.podScheduledAt?.toISOString(),
      containers_started_at: build.containersStartedAt?.toISOString(),
      approval: build.approval,
    }),
    steps: build.steps.map(({ startedAt, endedAt, exitCode, ...step }) => ({
      ...step,
      ...defined({ started_at: startedAt, ended_at: endedAt, exit_code: exitCode }),
    })),
  };
}
