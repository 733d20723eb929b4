import type { ResourceVersion } from '#domain/scheduling/facts.ts';
import {
  activeAutomatic,
  goodBuilds,
  hasUsed,
  isQueued,
  jobOf,
  placeOf,
  resourceOf,
  type History,
  type HistoryGet,
  type HistoryJob,
} from './history.ts';

/**
 * The scheduling rule by exhaustive search: tries all assignments of versions to a job's gets, keeps those
 * that a good build of each upstream job confirms, and takes the best of them. This is slow, but simple
 * enough to be trusted.
 */
export function setsByBruteForce(history: History, id: number): number[][] {
  const job = jobOf(history, id);
  const newest = manualSetByBruteForce(history, id);
  if (newest === undefined) return [];
  const sets = new Map<string, number[]>();
  for (const { index, version } of versionsThatNeedBuild(history, job)) {
    const set = bestSet(history, job, { index, version });
    if (set !== undefined && !sets.has(String(set))) sets.set(String(set), set);
  }
  const places = (set: number[]): number[] => placesOfVersions(history, job, set);
  const setsOfEveryGets = [...sets.values()].toSorted((a, b) =>
    isOlder(places(a), places(b), places(newest)) ? -1 : 1,
  );
  const needsNewest = job.gets.some(
    (get, index) =>
      get.trigger &&
      !get.every &&
      isNew(history, job, { index, version: newest[index] ?? 0 }) &&
      !setsOfEveryGets.some((set) => set[index] === newest[index]),
  );
  return needsNewest && mayBuildNewest(history, job, setsOfEveryGets.length)
    ? [...setsOfEveryGets, newest]
    : setsOfEveryGets;
}

/**
 * Whether the newest set may be built: because the job is interruptible, because the set replaces a queued
 * build, or because the concurrency limit allows one more build.
 */
function mayBuildNewest(history: History, job: HistoryJob, otherBuilds: number): boolean {
  const open = activeAutomatic(history, job.id);
  const replaces = job.supersede !== false && open.some((build) => isQueued(build));
  return job.interruptible || replaces || open.length + otherBuilds < (job.concurrency ?? 1);
}

/** The places of a set's versions; larger is newer. */
export function placesOfVersions(history: History, job: HistoryJob, versions: readonly number[]): number[] {
  return versions.map((version, index) => placeIn(history, job, { index, version }));
}

/**
 * Whether the set `a` comes before the set `b`. All sets are places of versions. The set `newest` comes last.
 * Of two other sets, the one with the oldest version that the other lacks comes first.
 */
function isOlder(a: number[], b: number[], newest: number[]): boolean {
  if (String(b) === String(newest)) return true;
  if (String(a) === String(newest)) return false;
  return oldestOnlyIn(a, b) < oldestOnlyIn(b, a);
}

function oldestOnlyIn(set: number[], other: number[]): number {
  const remaining = [...set];
  for (const version of other)
    if (remaining.includes(version)) remaining.splice(remaining.indexOf(version), 1);
  return Math.min(Infinity, ...remaining);
}

/** The versions of a build that a person triggers; undefined if it is refused. */
export function manualSetByBruteForce(history: History, id: number): number[] | undefined {
  const job = jobOf(history, id);
  return job.paused ? undefined : bestSet(history, job);
}

function versionsThatNeedBuild(history: History, job: HistoryJob): { index: number; version: number }[] {
  return job.gets
    .flatMap((get, index) =>
      get.trigger && get.every
        ? choosableVersions(history, get)
            .map((version) => ({ index, version }))
            .filter((required) => isNew(history, job, required))
        : [],
    )
    .toSorted((a, b) => placeIn(history, job, a) - placeIn(history, job, b) || a.index - b.index);
}

/** The place of a version. A newer version has a larger place, also among versions of several resources. */
function placeIn(
  history: History,
  job: HistoryJob,
  { index, version }: { index: number; version: number },
): number {
  return placeOf(history, { resource: job.gets[index]?.resource ?? 0, version });
}

/**
 * Whether a version is newer than the baseline of the get, not below the floor of a get with `every`, and not
 * used by a build for this get.
 */
function isNew(
  history: History,
  job: HistoryJob,
  { index, version }: { index: number; version: number },
): boolean {
  const { baseline = 0, every = false, floor = 0 } = job.gets[index] ?? {};
  const isBelowFloor = every && placeIn(history, job, { index, version }) < floor;
  return version > baseline && !isBelowFloor && !hasUsed(history, job.id, { get: index, version });
}

/** Enabled versions; with a pin, only the pinned one, and none if it is disabled. */
function choosableVersions(history: History, { resource }: HistoryGet): number[] {
  const { versions, pinned } = resourceOf(history, resource);
  return versions
    .filter(({ id, disabled }) => !disabled && (pinned === undefined || pinned === id))
    .map(({ id }) => id);
}

/**
 * The best set; undefined if there is none. The get at `required.index` takes `required.version`. Other gets
 * without `passed` take the latest version. Sets are compared get by get, triggers first, then by position:
 * the set with the newer version is better.
 */
function bestSet(
  history: History,
  job: HistoryJob,
  required?: { index: number; version: number },
): number[] | undefined {
  const options = job.gets.map((get, index) => {
    if (required?.index === index) return [required.version];
    const versions = choosableVersions(history, get);
    return get.passed.length > 0 ? versions : versions.slice(-1);
  });
  const inOrder = (versions: number[]): number[] => placesOfVersions(history, job, versions);
  const order = [...job.gets.keys()].toSorted((a, b) => rank(job, a) - rank(job, b));
  return assignments(options)
    .filter((versions) => hasGoodBuilds(history, job, versions))
    .toSorted((a, b) => compare(order, inOrder(b), inOrder(a)))[0];
}

function rank(job: HistoryJob, index: number): number {
  return index + (job.gets[index]?.trigger ? 0 : job.gets.length);
}

function compare(order: number[], a: number[], b: number[]): number {
  for (const index of order) {
    const difference = (a[index] ?? 0) - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** All ways to choose one version for each get from its options. */
function assignments(options: number[][]): number[][] {
  let chosenSoFar: number[][] = [[]];
  for (const versions of options)
    chosenSoFar = chosenSoFar.flatMap((chosen) => versions.map((version) => [...chosen, version]));
  return chosenSoFar;
}

/**
 * Whether each upstream job has one good build that took or made every version that the gets require of it.
 */
export function hasGoodBuilds(history: History, job: HistoryJob, versions: readonly number[]): boolean {
  const requiredOf = new Map<number, ResourceVersion[]>();
  for (const [index, { resource, passed }] of job.gets.entries())
    for (const upstream of passed)
      requiredOf.set(upstream, [
        ...(requiredOf.get(upstream) ?? []),
        { resource, version: versions[index] ?? 0 },
      ]);
  return [...requiredOf].every(([upstream, required]) =>
    goodBuilds(history, upstream).some(({ takes }) =>
      required.every((input) =>
        takes.some((taken) => taken.resource === input.resource && taken.version === input.version),
      ),
    ),
  );
}
