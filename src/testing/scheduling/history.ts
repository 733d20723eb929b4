import { defined } from '#defined';
import { baselineFromNow, floorAfterUnpin, settledBefore } from '#domain/scheduling/baselines.ts';
import { isActive, isGood, type BuildStatus } from '#domain/scheduling/build-changes.ts';
import { isAutomatic, type BuildCause } from '#domain/scheduling/decision.ts';
import type { BuildRequest, ResourceVersion } from '#domain/scheduling/facts.ts';
import { reachableJobs } from '#domain/scheduling/reachable-jobs.ts';
import type { Gate } from '#domain/scheduling/vote.ts';

/** The whole history of a pipeline in memory: the content of the database, without its limits. */
export interface History {
  paused: boolean;
  resources: HistoryResource[];
  jobs: HistoryJob[];
  builds: HistoryBuild[];
  /** The id of the last request. */
  requests: number;
  /** For each triggered version, its requests with their jobs. */
  cascades?: { request: number; job: number }[][];
}

export interface HistoryResource {
  oldName?: string;
  id: number;
  name: string;
  pinned?: number;
  /** Oldest first. */
  versions: HistoryVersion[];
  /** Versions whose hooks still run. */
  held?: number[];
  /** The current source; absent if none was named. */
  source?: string;
  /** Versions of earlier sources. */
  former?: Map<string, HistoryVersion[]>;
  /** The source of the running check. */
  checking?: string;
}

export interface HistoryVersion {
  /** A version with a larger id was found later. */
  id: number;
  /** A version with a larger place is newer. The place equals the id until a check reports another order. */
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
  /** False if queued builds are not superseded. */
  supersede?: boolean;
  allowFailure: boolean;
  disableRetry: boolean;
  gate?: Gate;
  /** Whether the job has `on_trigger` hooks. */
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
  /** A get with `every` skips versions whose place is smaller. Absent: 0. */
  floor?: number;
  /** The marks of the get in earlier sources of its resource. */
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
  /** The sources of its resources when the build was created, by name; absent if none was named. */
  sources?: Record<string, string>;
  cause: BuildCause | { kind: 'retry'; by: string };
  approved: boolean;
  votes: { by: string; approve: boolean }[];
  /** A pin, a disabled version or a new source cancelled it before it started, and it released its inputs. */
  usedNothing?: boolean;
}

export function resourceOf(history: History, id: number): HistoryResource {
  return findOrThrow(history.resources, (resource) => resource.id === id, `resource ${id}`);
}

export function jobOf(history: History, id: number): HistoryJob {
  return findOrThrow(history.jobs, (job) => job.id === id, `job ${id}`);
}

export function findOrThrow<Item>(
  items: Item[],
  matches: (item: Item, index: number) => boolean,
  description: string,
): Item {
  const item = items.find(matches);
  if (item === undefined) throw new Error(`The history has no ${description}.`);
  return item;
}

export function addVersion(history: History, resource: number, label?: string): number {
  const id = nextPlace(history);
  const target = resourceOf(history, resource);
  target.versions.push({ id, place: id, label: label ?? String(id), disabled: false });
  // If the pinned version is of another source, the pin moves to the version with the same label.
  const pinned = allVersions(target).find((version) => version.id === target.pinned);
  if (pinned !== undefined && !target.versions.includes(pinned) && pinned.label === label) target.pinned = id;
  if (runsHooks(history, resource)) target.held = [...(target.held ?? []), id];
  return id;
}

function nextPlace({ resources }: History): number {
  return Math.max(0, ...resources.flatMap(allVersions).map(({ place }) => place)) + 1;
}

/** The versions of all its sources. */
export function allVersions({ versions, former }: HistoryResource): HistoryVersion[] {
  return [...versions, ...[...(former?.values() ?? [])].flat()];
}

/**
 * Records the versions that a check printed. If none of them is new, nothing changes. Otherwise the printed
 * versions, from the first new or moved one on, become newer than all other versions. They keep the printed
 * order, so the last one is the newest.
 */
export function printVersions(history: History, resource: number, labels: readonly string[]): void {
  const { versions } = resourceOf(history, resource);
  const indexes = labels.map((label) => versions.findIndex((version) => version.label === label));
  if (!indexes.includes(-1)) return;
  const first = indexes.findIndex(
    (index, at) => index === -1 || indexes.slice(0, at).some((earlier) => earlier > index),
  );
  for (const label of labels.slice(first)) {
    const knownIndex = versions.findIndex((version) => version.label === label);
    if (knownIndex === -1) {
      addVersion(history, resource, label);
      continue;
    }
    const place = nextPlace(history);
    const [moved] = versions.splice(knownIndex, 1);
    if (moved === undefined) continue;
    settleAgain(history, resource, moved);
    versions.push({ ...moved, place });
  }
}

/** If the end of a pin skipped this version, the version may trigger again when it moves. */
function settleAgain(history: History, resource: number, { id, place }: HistoryVersion): void {
  for (const get of history.jobs.flatMap(({ gets }) => gets))
    if (get.resource === resource && place < (get.floor ?? 0)) get.settled = settledBefore(get.settled, [id]);
}

export function placeOf(history: History, { resource, version }: ResourceVersion): number {
  return resourceOf(history, resource).versions.find(({ id }) => id === version)?.place ?? version;
}

/** Whether a new version of the resource runs `on_trigger` hooks. */
function runsHooks(history: History, resource: number): boolean {
  const jobs = history.jobs.map(({ id, gets }) => ({
    name: String(id),
    gets: gets.map((get) => ({ ...get, resource: String(get.resource), passed: get.passed.map(String) })),
  }));
  return reachableJobs(jobs, String(resource)).some((id) => jobOf(history, Number(id)).hooks === true);
}

/** Releases a held version: its hooks have ended, or builds no longer wait for them. */
export function release(resource: HistoryResource, version: number): void {
  resource.held = (resource.held ?? []).filter((id) => id !== version);
}

export function isEnabled(history: History, resourceVersion: ResourceVersion): boolean {
  return resourceOf(history, resourceVersion.resource).versions.some(
    ({ id, disabled }) => id === resourceVersion.version && !disabled,
  );
}

/** The good builds of a job, each with the versions that it took or made. */
export function goodBuilds(history: History, job: number): { id: number; takes: ResourceVersion[] }[] {
  return history.builds
    .filter((build) => build.job === job && isGood(build.status))
    .map(({ id, inputs, outputs }) => ({ id, takes: [...inputs, ...outputs] }));
}

/** Whether a build of the job has used this version for the get at this position. */
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

/** Whether this is a build of the newest set that has not started. */
export function isQueued({ status, cause }: HistoryBuild): boolean {
  return cause.kind === 'ready' && (status === 'waiting' || status === 'pending');
}

export function newestOf(history: History, resource: number, enabledOnly: boolean): number | undefined {
  return resourceOf(history, resource).versions.findLast(({ disabled }) => !(enabledOnly && disabled))?.id;
}

/** Whether a version was good in each of the jobs, in any builds. */
export function passedAll(history: History, jobs: number[], resourceVersion: ResourceVersion): boolean {
  return jobs.every((job) =>
    goodBuilds(history, job).some(({ takes }) =>
      takes.some(
        ({ resource, version }) =>
          resource === resourceVersion.resource && version === resourceVersion.version,
      ),
    ),
  );
}

/** Sets the baselines of a job that is added or unpaused. */
export function countFromNow(history: History, job: HistoryJob): void {
  for (const get of job.gets) {
    get.baseline = baselineFromNow(baselineFacts(history, get));
    for (const [source, marks] of get.former ?? []) {
      const formerVersions = resourceOf(history, get.resource).former?.get(source) ?? [];
      marks.baseline = Math.max(marks.baseline, ...formerVersions.map(({ id }) => id));
    }
  }
}

export function countAfterUnpin(history: History, resource: number): void {
  for (const get of history.jobs.flatMap(({ gets }) => gets))
    if (get.resource === resource)
      get.floor = floorAfterUnpin({ floor: 0, ...get, ...baselineFacts(history, get) });
}

/**
 * Lowers the settled marks of the job's gets, so that the next decision reads these versions again. They may
 * need a build because a build released them or because a version was enabled again.
 */
export function unsettle(job: HistoryJob, versions: readonly ResourceVersion[]): void {
  for (const get of job.gets) {
    const versionsOfGet = versions
      .filter(({ resource }) => resource === get.resource)
      .map(({ version }) => version);
    get.settled = settledBefore(get.settled, versionsOfGet);
  }
}

function baselineFacts(history: History, get: HistoryGet): Parameters<typeof baselineFromNow>[0] {
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
    ...defined({ newest, newestReady }),
  };
}
