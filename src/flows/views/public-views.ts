import { defined } from '#defined';
import type { StepState } from '#domain/build/build-state.ts';
import type { ActiveStatus, EndedStatus } from '#domain/graph/state.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { BuildRef, JobName, PipelineName, ResourceName } from '#flows/names.ts';
import type { Listed, Page } from '#flows/page.ts';
import { createCache } from './cache.ts';
import type { OverviewPipeline, OverviewState, OverviewStore } from './overview-ports.ts';
import { FRESH_MS, pipelineLookup } from './pipeline-lookup.ts';
import type { BuildDetail, BuildView, JobView, VersionView, Views } from './ports.ts';

/*
 * What the public may read of a public pipeline, apart from its picture. The functions below copy fields by
 * name, so a new field of the members' views stays hidden from the public until a function names it.
 */

export interface PublicPipeline {
  id: number;
  team: string;
  name: string;
  paused: boolean;
  jobs: number;
  resources: number;
}

export interface PublicJob {
  id: number;
  name: string;
  paused: boolean;
  running: boolean;
  ended?: EndedStatus;
  doing: ActiveStatus[];
  latest?: { number: string; status: BuildStatus; startedAt?: Date; endedAt?: Date };
}

/** The fields of a build that the public may see: no reason, no inputs, and no names of people. */
export interface PublicBuild {
  /** The cursor of the list. */
  id: number;
  number: string;
  status: BuildStatus;
  createdAt: Date;
  startedAt?: Date;
  endedAt?: Date;
}

export type PublicStep = Pick<StepState, 'kind' | 'name' | 'resource' | 'status' | 'startedAt' | 'endedAt'>;

export interface PublicBuildDetail extends PublicBuild {
  steps: PublicStep[];
}

export type PublicResource = Pick<OverviewState['resources'][number], 'id' | 'name' | 'type' | 'pinned'>;

/**
 * A version without its fields, which may contain addresses and messages. The picture of the pipeline needs
 * the id.
 */
export interface PublicVersion {
  id: number;
  createdAt: Date;
}

/** The state of a pipeline at one time. */
export interface PublicSnapshot {
  pipeline: PublicPipeline;
  jobs: PublicJob[];
  resources: PublicResource[];
}

/** `undefined`: not found, or not public. Jobs and resources are those of the current revision. */
export interface PublicViews {
  pipeline(name: PipelineName): Promise<PublicPipeline | undefined>;
  jobs(name: PipelineName): Promise<PublicJob[] | undefined>;
  job(name: JobName): Promise<PublicJob | undefined>;
  /** Newest first. */
  builds(name: JobName, page: Page & { status?: BuildStatus }): Promise<Listed<PublicBuild> | undefined>;
  build(ref: BuildRef): Promise<PublicBuildDetail | undefined>;
  resources(name: PipelineName): Promise<PublicResource[] | undefined>;
  resource(name: ResourceName): Promise<PublicResource | undefined>;
  /** Newest first. */
  versions(name: ResourceName, page: Page): Promise<Listed<PublicVersion> | undefined>;
  /** Not cached: the live stream of a pipeline reads one snapshot for all its viewers. */
  snapshot(name: PipelineName): Promise<PublicSnapshot | undefined>;
}

interface Ports {
  store: Pick<OverviewStore, 'pipeline' | 'state'>;
  views: Pick<Views, 'jobs' | 'builds' | 'build' | 'versions'>;
  /** Milliseconds. */
  now: () => number;
}

const MAX_SNAPSHOTS = 100;
const MAX_PAGES = 300;

export function publicViews({ store, views, now }: Ports): PublicViews {
  const { find } = pipelineLookup(store, now);
  const maxAge = { ms: FRESH_MS, now };
  const snapshots = createCache<PublicSnapshot>({ maxSize: MAX_SNAPSHOTS, maxAge });
  const pages = { maxSize: MAX_PAGES, maxAge };
  const builds = createCache<Listed<PublicBuild> | undefined>(pages);
  const details = createCache<PublicBuildDetail | undefined>(pages);
  const versions = createCache<Listed<PublicVersion> | undefined>(pages);
  const readSnapshot = async (pipeline: OverviewPipeline): Promise<PublicSnapshot> => {
    const [jobsByName = [], { jobs: jobsById, resources }] = await Promise.all([
      views.jobs(pipeline),
      store.state(pipeline.id),
    ]);
    // `views.jobs` reads by name, and another pipeline, which may be private, may have the name by now.
    const jobs = jobsByName.filter((job) => jobsById.some(({ id }) => id === job.id));
    return {
      pipeline: summaryOf(pipeline, jobs.length, resources.length),
      jobs: jobs.map(publicJob),
      resources: resources.map(publicResource),
    };
  };
  const snapshot = async (name: PipelineName): Promise<PublicSnapshot | undefined> => {
    const pipeline = await find(name, false);
    return pipeline && (await snapshots.get(String(pipeline.id), () => readSnapshot(pipeline)));
  };
  const job = async (name: JobName) => findIn(await snapshot(name), 'jobs', name.job);
  const resource = async (name: ResourceName) => findIn(await snapshot(name), 'resources', name.resource);
  return {
    pipeline: async (name) => (await snapshot(name))?.pipeline,
    jobs: async (name) => (await snapshot(name))?.jobs,
    job: async (name) => (await job(name))?.item,
    async builds(name, page) {
      const found = await job(name);
      if (found === undefined) return undefined;
      const read = async () => mapRows(await views.builds(name, page), publicBuild);
      return await builds.get(cacheKey(found, page), ifStillOf(store, found, read));
    },
    async build(ref) {
      const found = await job(ref);
      if (found === undefined) return undefined;
      const read = async () => publicDetail(await views.build(ref), found.snapshot.resources);
      return await details.get(cacheKey(found, ref.number), ifStillOf(store, found, read));
    },
    resources: async (name) => (await snapshot(name))?.resources,
    resource: async (name) => (await resource(name))?.item,
    async versions(name, page) {
      const found = await resource(name);
      if (found === undefined) return undefined;
      // Drops all other properties that a caller may pass: a search would reveal what hidden fields contain.
      const { limit, before, after } = page;
      const cursor = { limit, ...defined({ before, after }) };
      const read = async () => mapRows(await views.versions(name, cursor), publicVersion);
      return await versions.get(cacheKey(found, cursor), ifStillOf(store, found, read));
    },
    async snapshot(name) {
      const pipeline = await store.pipeline(name);
      return pipeline?.public === true ? await readSnapshot(pipeline) : undefined;
    },
  };
}

/** A job or resource and the snapshot that it is part of. */
interface Found<Kind extends 'jobs' | 'resources'> {
  snapshot: PublicSnapshot;
  item: PublicSnapshot[Kind][number];
}

function findIn<Kind extends 'jobs' | 'resources'>(
  snapshot: PublicSnapshot | undefined,
  kind: Kind,
  name: string,
): Found<Kind> | undefined {
  const items: readonly PublicSnapshot[Kind][number][] = snapshot?.[kind] ?? [];
  const item = items.find((candidate) => candidate.name === name);
  return snapshot && item && { snapshot, item };
}

function cacheKey({ item }: Found<'jobs' | 'resources'>, detail: unknown): string {
  return JSON.stringify([item.id, detail]);
}

/**
 * Returns a function that calls `read`, which reads by name. The function drops the result if the pipeline is
 * no longer public, or if its name belongs to another pipeline by now, which may be private.
 */
function ifStillOf<T>(
  store: Pick<OverviewStore, 'pipeline'>,
  { snapshot: { pipeline } }: Found<'jobs' | 'resources'>,
  read: () => Promise<T | undefined>,
): () => Promise<T | undefined> {
  return async () => {
    const answer = await read();
    const now = await store.pipeline({ team: pipeline.team, pipeline: pipeline.name });
    return now?.public === true && now.id === pipeline.id ? answer : undefined;
  };
}

function summaryOf({ id, team, pipeline, paused }: OverviewPipeline, jobs: number, resources: number) {
  return { id, team, name: pipeline, paused, jobs, resources };
}

function publicJob({ id, name, paused, running, ended, doing, latest }: JobView): PublicJob {
  const latestBuild = latest && latestOf(latest);
  return { id, name, paused, running, doing, ...defined({ ended, latest: latestBuild }) };
}

function latestOf({ number, status, startedAt, endedAt }: NonNullable<JobView['latest']>) {
  return { number, status, ...defined({ startedAt, endedAt }) };
}

function publicBuild({ id, number, status, createdAt, startedAt, endedAt }: BuildView): PublicBuild {
  return { id, number, status, createdAt, ...defined({ startedAt, endedAt }) };
}

/** Leaves out steps of resources that the current revision no longer has: their names may be private. */
function publicDetail(
  build: BuildDetail | undefined,
  resources: readonly PublicResource[],
): PublicBuildDetail | undefined {
  const isNamed = ({ resource }: StepState): boolean =>
    resource === undefined || resources.some(({ name }) => name === resource);
  return build && { ...publicBuild(build), steps: build.steps.filter(isNamed).map(publicStep) };
}

function publicStep({ kind, name, resource, status, startedAt, endedAt }: StepState): PublicStep {
  return {
    kind,
    // The condition of a branch is not public.
    name: kind === 'branch' ? 'if' : name,
    status,
    ...defined({ resource, startedAt, endedAt }),
  };
}

function publicResource({ id, name, type, pinned }: OverviewState['resources'][number]): PublicResource {
  return { id, name, type, pinned };
}

function publicVersion({ id, createdAt }: VersionView): PublicVersion {
  return { id, createdAt };
}

function mapRows<T, U>(found: Listed<T> | undefined, toPublic: (row: T) => U): Listed<U> | undefined {
  return found && { rows: found.rows.map(toPublic), hasMore: found.hasMore };
}
