import { baselineFromNow, floorAfterUnpin, settledBefore } from '#domain/scheduling/baselines.ts';
import { isActive, isGood, type BuildStatus } from '#domain/scheduling/build-changes.ts';
import { isAutomatic, type BuildCause } from '#domain/scheduling/decision.ts';
import type { BuildRequest, ResourceVersion } from '#domain/scheduling/facts.ts';
import { reachableJobs } from '#domain/scheduling/reachable-jobs.ts';
import type { Gate } from '#domain/scheduling/vote.ts';

/**
 * Everything a pipeline has been through, in memory and whole: what the database holds, without its bounds.
 */
export interface History {
  paused: boolean;
  resources: HistoryResource[];
  jobs: HistoryJob[];
  builds: HistoryBuild[];
  requests: number;
  /** Requests of each trigger of a version, by job. */
  cascades?: { request: number; job: number }[][];
}

export interface HistoryResource {
  oldName?: string;
  id: number;
  name: string;
  pinned?: number;
  /** In their order, oldest first. */
  versions: HistoryVersion[];
  /** Versions whose hooks have not ended. */
  held?: number[];
  /** Where its versions come from; absent: nobody said. */
  source?: string;
  /** Versions of the sources that it had before. */
  former?: Map<string, HistoryVersion[]>;
  /** The source of the check that runs. */
  checking?: string;
}

export interface HistoryVersion {
  /** Larger ones were found later. */
  id: number;
  /** Larger ones are newer; the id until a check printed it in another order. */
  place: number;
  label: string;
  disabled: boolean;
}

export interface HistoryJob {
  oldName?: string;
  id: number;
  name: string;
  paused: boolean;
  interruptible: boolean;
  concurrency?: number;
  /** False: queued builds are not superseded. */
  supersede?: boolean;
  allowFailure: boolean;
  disableRetry: boolean;
  gate?: Gate;
  /** It has `on_trigger` hooks. */
  hooks?: boolean;
  gets: HistoryGet[];
  requests: BuildRequest[];
}

export interface HistoryGet {
  resource: number;
  trigger: boolean;
  every: boolean;
  passed: number[];
  baseline: number;
  settled: number;
  /** A place; 0 when absent. */
  floor?: number;
  /** What it counted by in sources that its resource had before. */
  former?: Map<string, Pick<HistoryGet, 'baseline' | 'settled' | 'floor'>>;
}

export interface HistoryBuild {
  id: number;
  job: number;
  number: string;
  status: BuildStatus;
  /** By position of the get. */
  inputs: ResourceVersion[];
  outputs: ResourceVersion[];
  /** Where the versions of resources came from when it was made, by name; absent: nobody said. */
  sources?: Record<string, string>;
  cause: BuildCause | { kind: 'retry'; by: string };
  approved: boolean;
  votes: { by: string; approve: boolean }[];
  /** A pin or a disabled version ended it before it started. */
  usedNothing?: boolean;
}

export function resourceOf(history: History, id: number): HistoryResource {
  return found(history.resources, (one) => one.id === id, `resource ${id}`);
}

export function jobOf(history: History, id: number): HistoryJob {
  return found(history.jobs, (one) => one.id === id, `job ${id}`);
}

export function found<Item>(items: Item[], fits: (item: Item, index: number) => boolean, what: string): Item {
  const item = items.find(fits);
  if (item === undefined) throw new Error(`The history has no ${what}.`);
  return item;
}

export function addVersion(history: History, resource: number, label?: string): number {
  const id = nextPlace(history);
  const into = resourceOf(history, resource);
  into.versions.push({ id, place: id, label: label ?? String(id), disabled: false });
  // Pinned in another history of the resource.
  const pinned = allVersions(into).find((version) => version.id === into.pinned);
  if (pinned !== undefined && !into.versions.includes(pinned) && pinned.label === label) into.pinned = id;
  if (firesHooks(history, resource)) into.held = [...(into.held ?? []), id];
  return id;
}

function nextPlace({ resources }: History): number {
  return Math.max(0, ...resources.flatMap(allVersions).map(({ place }) => place)) + 1;
}

/** Of all its sources. */
export function allVersions({ versions, former }: HistoryResource): HistoryVersion[] {
  return [...versions, ...[...(former?.values() ?? [])].flat()];
}

/**
 * A check printed these. With a new one among them they are in this order from now on, the last one newest:
 * from the first that is new or out of order they follow everything else.
 */
export function printVersions(history: History, resource: number, labels: readonly string[]): void {
  const { versions } = resourceOf(history, resource);
  const indexes = labels.map((label) => versions.findIndex((version) => version.label === label));
  if (!indexes.includes(-1)) return;
  const first = indexes.findIndex(
    (index, at) => index === -1 || indexes.slice(0, at).some((one) => one > index),
  );
  for (const label of labels.slice(first)) {
    const known = versions.findIndex((version) => version.label === label);
    if (known === -1) {
      addVersion(history, resource, label);
      continue;
    }
    const place = nextPlace(history);
    for (const moved of versions.splice(known, 1)) {
      settleAgain(history, resource, moved);
      versions.push({ ...moved, place });
    }
  }
}

/** A version that the end of a pin passed over may trigger now that it moves. */
function settleAgain(history: History, resource: number, { id, place }: HistoryVersion): void {
  for (const get of history.jobs.flatMap(({ gets }) => gets))
    if (get.resource === resource && place < (get.floor ?? 0)) get.settled = settledBefore(get.settled, [id]);
}

export function placeOf(history: History, { resource, version }: ResourceVersion): number {
  return resourceOf(history, resource).versions.find(({ id }) => id === version)?.place ?? version;
}

function firesHooks(history: History, resource: number): boolean {
  const jobs = history.jobs.map(({ id, gets }) => ({
    name: String(id),
    gets: gets.map((get) => ({ ...get, resource: String(get.resource), passed: get.passed.map(String) })),
  }));
  return reachableJobs(jobs, String(resource)).some((id) => jobOf(history, Number(id)).hooks === true);
}

/** Its hooks have ended, or builds go on without them. */
export function release(resource: HistoryResource, version: number): void {
  resource.held = (resource.held ?? []).filter((id) => id !== version);
}

export function isEnabled(history: History, taken: ResourceVersion): boolean {
  return resourceOf(history, taken.resource).versions.some(
    ({ id, disabled }) => id === taken.version && !disabled,
  );
}

/** What good builds of a job took or made. */
export function goodBuilds(history: History, job: number): { id: number; takes: ResourceVersion[] }[] {
  return history.builds
    .filter((build) => build.job === job && isGood(build.status))
    .map(({ id, inputs, outputs }) => ({ id, takes: [...inputs, ...outputs] }));
}

/** By position of the get. */
export function hasUsed(
  history: History,
  job: number,
  { get, version }: { get: number; version: number },
): boolean {
  return history.builds.some(
    (build) => build.job === job && build.usedNothing !== true && build.inputs[get]?.version === version,
  );
}

export function activeAutomatic(history: History, job: number): HistoryBuild[] {
  return history.builds.filter(
    (build) => build.job === job && isActive(build.status) && isAutomatic(build.cause.kind),
  );
}

/** Of a newest set, and not begun. */
export function isQueued({ status, cause }: HistoryBuild): boolean {
  return cause.kind === 'ready' && (status === 'waiting' || status === 'pending');
}

export function newestOf(history: History, resource: number, enabledOnly: boolean): number | undefined {
  return resourceOf(history, resource).versions.findLast(({ disabled }) => !(enabledOnly && disabled))?.id;
}

/** Has a version been good in each of the jobs, in whatever builds? */
export function passedAll(history: History, jobs: number[], taken: ResourceVersion): boolean {
  return jobs.every((job) =>
    goodBuilds(history, job).some(({ takes }) =>
      takes.some(({ resource, version }) => resource === taken.resource && version === taken.version),
    ),
  );
}

/** When a pause of the job ends, or its gets come to be triggers. */
export function countFromNow(history: History, job: HistoryJob): void {
  for (const get of job.gets) {
    get.baseline = baselineFromNow(counted(history, get));
    for (const [source, marks] of get.former ?? []) {
      const known = resourceOf(history, get.resource).former?.get(source) ?? [];
      marks.baseline = Math.max(marks.baseline, ...known.map(({ id }) => id));
    }
  }
}

export function countAfterUnpin(history: History, resource: number): void {
  for (const get of history.jobs.flatMap(({ gets }) => gets))
    if (get.resource === resource)
      get.floor = floorAfterUnpin({ floor: 0, ...get, ...counted(history, get) });
}

/** Builds of the job no longer count as having used these versions, or the versions are enabled again. */
export function unsettle(job: HistoryJob, versions: readonly ResourceVersion[]): void {
  for (const get of job.gets) {
    const own = versions.filter(({ resource }) => resource === get.resource).map(({ version }) => version);
    get.settled = settledBefore(get.settled, own);
  }
}

function counted(history: History, get: HistoryGet): Parameters<typeof baselineFromNow>[0] {
  const ids = resourceOf(history, get.resource).versions.map(({ id }) => id);
  const newest = ids.length === 0 ? undefined : Math.max(...ids);
  const newestReady = resourceOf(history, get.resource).versions.findLast(
    ({ id, disabled }) =>
      !disabled && passedAll(history, get.passed, { resource: get.resource, version: id }),
  )?.place;
  return {
    trigger: get.trigger,
    every: get.every,
    baseline: get.baseline,
    ...(newest === undefined ? {} : { newest }),
    ...(newestReady === undefined ? {} : { newestReady }),
  };
}
