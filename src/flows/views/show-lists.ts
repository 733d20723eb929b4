import type { StepState } from '#domain/build/build-state.ts';
import type { BuildStatus } from '#domain/build/events.ts';
import type { BuildRef, JobName, PipelineName, ResourceName } from '#flows/names.ts';
import type { Listed, Page } from '#flows/page.ts';
import { kept } from './cache.ts';
import { findShown, FRESH_MS } from './find-shown.ts';
import type { BuildDetail, BuildView, JobView, VersionView, Views } from './ports.ts';
import type { ShownPipeline, ShownState, ShowStore } from './show-ports.ts';

/*
 * What strangers read of a public pipeline, beside its picture. Each shape is made of the fields that are
 * named here, so that whatever members are shown one day stays inside until somebody names it here too.
 */

export interface ShownSummary {
  id: number;
  team: string;
  name: string;
  paused: boolean;
  jobs: number;
  resources: number;
}

export interface ShownJob {
  id: number;
  name: string;
  paused: boolean;
  running: boolean;
  latest?: { number: string; status: BuildStatus; startedAt?: Date; endedAt?: Date };
}

/** How a build stands and when: neither why, nor by whom, nor of what. */
export interface ShownBuild {
  /** The cursor of the list. */
  id: number;
  number: string;
  status: BuildStatus;
  createdAt: Date;
  startedAt?: Date;
  endedAt?: Date;
}

export type ShownStep = Pick<StepState, 'kind' | 'name' | 'resource' | 'status' | 'startedAt' | 'endedAt'>;

export interface ShownBuildDetail extends ShownBuild {
  steps: ShownStep[];
}

export type ShownResource = Pick<ShownState['resources'][number], 'id' | 'name' | 'type' | 'pinned'>;

/** By its number, which pictures take; its fields may hold addresses and words of others. */
export interface ShownVersion {
  id: number;
  createdAt: Date;
}

/** Everything of a pipeline that changes. */
export interface ShownWhole {
  pipeline: ShownSummary;
  jobs: ShownJob[];
  resources: ShownResource[];
}

/**
 * `undefined`: there is none, or it is not public: nobody can tell which. Jobs and resources are those of the
 * present definition.
 */
export interface ShownLists {
  pipeline(name: PipelineName): Promise<ShownSummary | undefined>;
  jobs(name: PipelineName): Promise<ShownJob[] | undefined>;
  job(name: JobName): Promise<ShownJob | undefined>;
  /** Newest first. */
  builds(name: JobName, page: Page & { status?: BuildStatus }): Promise<Listed<ShownBuild> | undefined>;
  build(ref: BuildRef): Promise<ShownBuildDetail | undefined>;
  resources(name: PipelineName): Promise<ShownResource[] | undefined>;
  resource(name: ResourceName): Promise<ShownResource | undefined>;
  /** Newest first. */
  versions(name: ResourceName, page: Page): Promise<Listed<ShownVersion> | undefined>;
  /** Read anew each time, for one reader on behalf of all who follow it. */
  whole(name: PipelineName): Promise<ShownWhole | undefined>;
}

interface Ports {
  store: Pick<ShowStore, 'shown' | 'state'>;
  views: Pick<Views, 'jobs' | 'builds' | 'build' | 'versions'>;
  /** Milliseconds. */
  now: () => number;
}

const MOST_WHOLES = 100;
const MOST_PAGES = 300;

export function showLists({ store, views, now }: Ports): ShownLists {
  const { find } = findShown(store, now);
  const fresh = { for: FRESH_MS, now };
  const wholes = kept<ShownWhole>({ most: MOST_WHOLES, fresh });
  const pages = { most: MOST_PAGES, fresh };
  const builds = kept<Listed<ShownBuild> | undefined>(pages);
  const details = kept<ShownBuildDetail | undefined>(pages);
  const versions = kept<Listed<ShownVersion> | undefined>(pages);
  const readWhole = async (found: ShownPipeline): Promise<ShownWhole> => {
    const [named = [], { jobs: own, resources }] = await Promise.all([
      views.jobs(found),
      store.state(found.id),
    ]);
    // The name may be another pipeline's by now, which need not be public.
    const jobs = named.filter(({ id }) => own.some((one) => one.id === id));
    return {
      pipeline: summaryOf(found, jobs.length, resources.length),
      jobs: jobs.map(shownJob),
      resources: resources.map(shownResource),
    };
  };
  const whole = async (name: PipelineName): Promise<ShownWhole | undefined> => {
    const found = await find(name, false);
    return found && (await wholes.get(String(found.id), () => readWhole(found)));
  };
  const job = async (name: JobName) => inWhole(await whole(name), 'jobs', name.job);
  const resource = async (name: ResourceName) => inWhole(await whole(name), 'resources', name.resource);
  return {
    pipeline: async (name) => (await whole(name))?.pipeline,
    jobs: async (name) => (await whole(name))?.jobs,
    job: async (name) => (await job(name))?.one,
    async builds(name, page) {
      const found = await job(name);
      if (found === undefined) return undefined;
      const read = async () => listed(await views.builds(name, page), shownBuild);
      return await builds.get(keyOf(found, page), ifStillOf(store, found, read));
    },
    async build(ref) {
      const found = await job(ref);
      if (found === undefined) return undefined;
      const read = async () => shownDetail(await views.build(ref), found.of.resources);
      return await details.get(keyOf(found, ref.number), ifStillOf(store, found, read));
    },
    resources: async (name) => (await whole(name))?.resources,
    resource: async (name) => (await resource(name))?.one,
    async versions(name, page) {
      const found = await resource(name);
      if (found === undefined) return undefined;
      const read = async () => listed(await views.versions(name, page), shownVersion);
      return await versions.get(keyOf(found, page), ifStillOf(store, found, read));
    },
    async whole(name) {
      const found = await store.shown(name);
      return found?.public === true ? await readWhole(found) : undefined;
    },
  };
}

/** A job or resource, and what it was found in. */
interface Found<K extends 'jobs' | 'resources'> {
  of: ShownWhole;
  one: ShownWhole[K][number];
}

function inWhole<K extends 'jobs' | 'resources'>(
  of: ShownWhole | undefined,
  kind: K,
  name: string,
): Found<K> | undefined {
  const one: ShownWhole[K][number] | undefined = of?.[kind].find((known) => known.name === name);
  return of && one && { of, one };
}

function keyOf({ one }: Found<'jobs' | 'resources'>, what: unknown): string {
  return JSON.stringify([one.id, what]);
}

/**
 * What is read by names is shown if they are still those of the public pipeline that was found: a private one
 * can have them meanwhile.
 */
function ifStillOf<T>(
  store: Pick<ShowStore, 'shown'>,
  { of: { pipeline } }: Found<'jobs' | 'resources'>,
  read: () => Promise<T | undefined>,
): () => Promise<T | undefined> {
  return async () => {
    const answer = await read();
    const now = await store.shown({ team: pipeline.team, pipeline: pipeline.name });
    return now?.public === true && now.id === pipeline.id ? answer : undefined;
  };
}

function summaryOf({ id, team, pipeline, paused }: ShownPipeline, jobs: number, resources: number) {
  return { id, team, name: pipeline, paused, jobs, resources };
}

function shownJob({ id, name, paused, running, latest }: JobView): ShownJob {
  return { id, name, paused, running, ...(latest !== undefined && { latest: shownLatest(latest) }) };
}

function shownLatest({ number, status, ...more }: NonNullable<JobView['latest']>) {
  return { number, status, ...times(more) };
}

function shownBuild({ id, number, status, createdAt, ...more }: BuildView): ShownBuild {
  return { id, number, status, createdAt, ...times(more) };
}

function times({ startedAt, endedAt }: { startedAt?: Date; endedAt?: Date }) {
  return { ...(startedAt !== undefined && { startedAt }), ...(endedAt !== undefined && { endedAt }) };
}

/**
 * Without the steps of resources that the definition names no longer: their names may not be for strangers.
 */
function shownDetail(
  build: BuildDetail | undefined,
  resources: readonly ShownResource[],
): ShownBuildDetail | undefined {
  const isNamed = ({ resource }: StepState): boolean =>
    resource === undefined || resources.some(({ name }) => name === resource);
  return build && { ...shownBuild(build), steps: build.steps.filter(isNamed).map(shownStep) };
}

function shownStep({ kind, name, resource, status, startedAt, endedAt }: StepState): ShownStep {
  return {
    kind,
    name,
    status,
    ...(resource !== undefined && { resource }),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
  };
}

function shownResource({ id, name, type, pinned }: ShownState['resources'][number]): ShownResource {
  return { id, name, type, pinned };
}

function shownVersion({ id, createdAt }: VersionView): ShownVersion {
  return { id, createdAt };
}

function listed<T, U>(found: Listed<T> | undefined, shape: (row: T) => U): Listed<U> | undefined {
  return found && { rows: found.rows.map(shape), hasMore: found.hasMore };
}
