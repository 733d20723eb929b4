import { Type, type Static } from 'typebox';
import { defined } from '#defined';
import type { Listed } from '#flows/page.ts';
import type {
  PublicBuild,
  PublicBuildDetail,
  PublicJob,
  PublicPipeline,
  PublicResource,
  PublicSnapshot,
  PublicStep,
  PublicVersion,
} from '#flows/views/public-views.ts';
import { jobStateOf } from '#flows/views/show-pipeline.ts';
import { nanoseconds } from './nanoseconds.ts';
import { BuildStatusName, JobStates, Time } from './schemas.ts';

/*
 * Responses to the public at paths that the public shares with members. Their schemas are separate from those
 * for members, so that a field added for members is not sent to the public.
 */

const Times = {
  started_at: Type.Optional(Time),
  ended_at: Type.Optional(Time),
  /** Nanoseconds. */
  duration: Type.Optional(Type.Integer()),
};
const Pipeline = Type.Object({
  id: Type.Integer(),
  team: Type.String(),
  name: Type.String(),
  public: Type.Boolean(),
  paused: Type.Boolean(),
  jobs: Type.Integer(),
  resources: Type.Integer(),
});
const Job = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  paused: Type.Boolean(),
  latest_status: Type.Optional(BuildStatusName),
  latest_build_number: Type.Optional(Type.String()),
  latest_build_duration: Type.Optional(Type.Integer()),
  started_at: Type.Optional(Time),
  has_running: Type.Boolean(),
  ...JobStates,
});
const Build = Type.Object({
  id: Type.Integer(),
  number: Type.String(),
  status: BuildStatusName,
  created_at: Time,
  ...Times,
});
const Step = Type.Object({
  kind: Type.Enum(['get', 'task', 'put', 'notify', 'command', 'service', 'parallel', 'branch']),
  name: Type.String(),
  resource: Type.Optional(Type.String()),
  status: Type.Enum(['waiting', 'started', 'succeeded', 'failed', 'cancelled', 'skipped']),
  started_at: Type.Optional(Time),
  ended_at: Type.Optional(Time),
});
const Resource = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  type: Type.String(),
  pinned: Type.Boolean(),
});
const Version = Type.Object({ id: Type.Integer(), created_at: Time });
const has_more = Type.Boolean();

export const PUBLIC_SCHEMAS = {
  pipeline: Type.Object({ data: Pipeline }),
  job: Type.Object({ data: Job }),
  jobs: Type.Object({ data: Type.Array(Job) }),
  builds: Type.Object({ data: Type.Array(Build), has_more }),
  build: Type.Object({ data: Type.Object({ ...Build.properties, steps: Type.Array(Step) }) }),
  resource: Type.Object({ data: Resource }),
  resources: Type.Object({ data: Type.Array(Resource) }),
  versions: Type.Object({ data: Type.Array(Version), has_more }),
};

/** Returns the response to the public, or undefined if there is nothing that the public may see. */
export function publicData<T, U>(value: T | undefined, encode: (item: T) => U): { data: U } | undefined {
  return value === undefined ? undefined : { data: encode(value) };
}

export function publicList<T, U>(rows: T[] | undefined, encode: (item: T) => U): { data: U[] } | undefined {
  return rows && { data: rows.map(encode) };
}

export function publicPage<T, U>(
  page: Listed<T> | undefined,
  encode: (item: T) => U,
): { data: U[]; has_more: boolean } | undefined {
  return page && { data: page.rows.map(encode), has_more: page.hasMore };
}

export function encodePublicPipeline(pipeline: PublicPipeline): Static<typeof Pipeline> {
  const { id, team, name, paused, jobs, resources } = pipeline;
  return { id, team, name, public: true, paused, jobs, resources };
}

export function encodePublicJob(job: PublicJob): Static<typeof Job> {
  const { id, name, paused, running, latest } = job;
  const { ended, doing } = jobStateOf(job);
  const { started_at, duration } = encodeTimes(latest ?? {});
  return {
    id,
    name,
    paused,
    has_running: running,
    ...(latest !== undefined && { latest_status: latest.status, latest_build_number: latest.number }),
    ...defined({ started_at, latest_build_duration: duration, outcome: ended, doing }),
  };
}

export function encodePublicBuild(build: PublicBuild): Static<typeof Build> {
  const { id, number, status, createdAt } = build;
  return { id, number, status, created_at: createdAt.toISOString(), ...encodeTimes(build) };
}

export function encodePublicBuildDetail(
  build: PublicBuildDetail,
): Static<typeof PUBLIC_SCHEMAS.build>['data'] {
  return { ...encodePublicBuild(build), steps: build.steps.map(encodeStep) };
}

function encodeStep({ kind, name, resource, status, startedAt, endedAt }: PublicStep): Static<typeof Step> {
  return {
    kind,
    name,
    status,
    ...defined({ resource, started_at: startedAt, ended_at: endedAt }),
  };
}

export function encodePublicResource({ id, name, type, pinned }: PublicResource): Static<typeof Resource> {
  return { id, name, type, pinned };
}

export function encodePublicVersion({ id, createdAt }: PublicVersion): Static<typeof Version> {
  return { id, created_at: createdAt.toISOString() };
}

/** Encodes the state of a pipeline for the event stream of the public. */
export function encodePublicState({ pipeline, jobs, resources }: PublicSnapshot) {
  return {
    pipeline: encodePublicPipeline(pipeline),
    jobs: jobs.map(encodePublicJob),
    resources: resources.map(encodePublicResource),
  };
}

function encodeTimes({ startedAt, endedAt }: { startedAt?: Date; endedAt?: Date }) {
  return {
    ...defined({ started_at: startedAt?.toISOString(), ended_at: endedAt?.toISOString() }),
    ...(startedAt !== undefined && endedAt !== undefined && { duration: nanoseconds(startedAt, endedAt) }),
  };
}
