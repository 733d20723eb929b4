import type { InputValues } from '#domain/pipeline/input-values.ts';
import type { ChosenSet } from './choose-set.ts';
import type { BuildCause } from './decision.ts';
import {
  MAX_UNUSED_VERSIONS,
  type GetFacts,
  type JobFacts,
  type NeededPage,
  type ResourceVersion,
} from './facts.ts';
import { orderSets } from './order-sets.ts';
import { passedGroups, solveGroup, type JobGet } from './passed-groups.ts';
import type { Snapshot } from './snapshot.ts';
import { mayBuildNewest, supersededBy } from './supersede.ts';
import type { UsedVersions } from './used-versions.ts';

/** What a build is created from. */
export interface VersionSet {
  /** One version for each get, in the order of the gets, as places (see `Facts`). */
  versions: number[];
  cause: BuildCause;
  /** Input values that a person chose. Absent: the defaults, as in automatic builds. */
  inputs?: InputValues;
  /** Row ids of queued builds that the build of this set supersedes. */
  supersedes?: number[];
}

export interface AutomaticSets {
  /** Oldest first, the newest set last. */
  sets: VersionSet[];
  /** More sets are due than the limit allows: `sets` has the oldest. */
  truncated: boolean;
  /** A get may have more unused versions than one decision takes: decide again at once. */
  hasMoreVersions: boolean;
  /**
   * If several decisions in a row are needed: positions of the gets whose newest version only the last of
   * these decisions takes, so that the newest set is built last.
   */
  postponed: number[];
  /**
   * The newest set has a version that triggers a build (`unusedTrigger`). The set may still have to wait for
   * another build.
   */
  isNewestDue: boolean;
  needs: NeededPage[];
}

interface Context {
  snapshot: Snapshot;
  used: UsedVersions;
  /** Limit for the number of sets. */
  limit: number;
}

/**
 * The sets for which a job without blockers gets builds, up to the limit. Each unused version of a trigger
 * that takes every version has a set. The newest set is added if it has an unused version of any other
 * trigger, and the job may build it now (`mayBuildNewest`).
 */
export function automaticSets(job: JobFacts, choice: ChosenSet, context: Context): AutomaticSets {
  const newest = choice.versions.flatMap((version) => version ?? []);
  const perVersion = setsPerVersion(job, newest, context);
  const hasMoreVersions = hasMoreUnused(job, perVersion.sets.length);
  const isLastDecision = !perVersion.truncated && !hasMoreVersions;
  const postponed =
    isLastDecision || perVersion.sets.length < 2 ? [] : postponedGets(job, newest, context.snapshot);
  const sets = orderSets(
    withoutPostponed(job, { sets: perVersion.sets, newest, postponed }, context),
    newest,
  );
  const { trigger, needs } = unusedTrigger(job, newest, { ...context, sets });
  const buildsNewest = trigger !== undefined && !perVersion.truncated && mayBuildNewest(job, sets.length);
  const hasRoom = sets.length < context.limit;
  if (buildsNewest && hasRoom) sets.push({ versions: newest, cause: { kind: 'ready', ...trigger } });
  return {
    sets: supersedeQueued(job, sets, newest),
    truncated: perVersion.truncated || (buildsNewest && !hasRoom),
    hasMoreVersions,
    postponed,
    isNewestDue: trigger !== undefined,
    needs: [...perVersion.needs, ...needs],
  };
}

/** A build of the newest set supersedes queued automatic builds, whichever trigger caused it. */
function supersedeQueued(job: JobFacts, sets: VersionSet[], newest: number[]): VersionSet[] {
  const supersedes = supersededBy(job).map(({ id }) => id);
  const last = sets.at(-1);
  if (last === undefined || supersedes.length === 0 || String(last.versions) !== String(newest)) return sets;
  return [...sets.slice(0, -1), { ...last, supersedes }];
}

/**
 * Whether a get may have more unused versions than one decision takes. Without `passed`, the facts list one
 * version more than one decision takes. With `passed`, they stop at that number, so a full list may be
 * incomplete. If the full list yields no set, the next decision would read the same list, so it counts as
 * complete.
 */
function hasMoreUnused({ gets }: JobFacts, setCount: number): boolean {
  return gets
    .filter(({ trigger, every }) => trigger && every)
    .some(({ unused, passed }) =>
      passed.length === 0
        ? unused.length > MAX_UNUSED_VERSIONS
        : unused.length >= MAX_UNUSED_VERSIONS && setCount > 0,
    );
}

/**
 * Positions of the gets whose newest version only the last decision takes. One get without `passed` is enough
 * if it has an older unused version: until the last decision, no set takes its newest version, so the newest
 * set stays due. Otherwise all gets are listed.
 */
function postponedGets({ gets }: JobFacts, newest: number[], snapshot: Snapshot): number[] {
  const postponing = gets.findIndex(
    (get, position) =>
      takesEvery(get) &&
      get.passed.length === 0 &&
      unusedOf(get, snapshot).some((version) => version !== newest[position]),
  );
  return postponing === -1 ? [...gets.keys()] : [postponing];
}

/**
 * The sets of this decision, without those that only the last decision builds. If one get postpones its
 * newest version, the sets for unused versions of the other gets take the next older unused version of that
 * get.
 */
function withoutPostponed(
  job: JobFacts,
  { sets, newest, postponed }: { sets: VersionSet[]; newest: number[]; postponed: number[] },
  context: Pick<Context, 'snapshot' | 'limit'>,
): VersionSet[] {
  const [postponing, ...otherPositions] = postponed;
  if (postponing === undefined) return sets;
  const get = job.gets[postponing];
  const isOnlyOne = otherPositions.length === 0;
  if (get === undefined || !isOnlyOne || !takesEvery(get) || get.passed.length > 0)
    return sets.filter(({ versions }) => String(versions) !== String(newest));
  const older = unusedOf(get, context.snapshot).filter((version) => version !== newest[postponing]);
  const withOlder = newest.with(postponing, Math.max(...older));
  return setsPerVersion(job, withOlder, context).sets.filter(
    ({ versions }) => versions[postponing] !== newest[postponing],
  );
}

const takesEvery = (get: GetFacts): boolean => get.trigger && get.every;

/**
 * The unused versions that one decision takes, oldest first. It takes those that were found first, so that
 * `settled` can say how far the decision got.
 */
export function unusedOf({ unused }: GetFacts, { idOf }: Pick<Snapshot, 'idOf'>): number[] {
  return unused
    .toSorted((a, b) => idOf(a) - idOf(b))
    .slice(0, MAX_UNUSED_VERSIONS)
    .toSorted((a, b) => a - b);
}

/**
 * An unused version of a get. `group`: this get and the gets that must agree with it on builds of upstream
 * jobs. Absent: the get has no `passed`.
 */
interface UnusedVersion extends JobGet {
  version: number;
  group?: JobGet[];
}

/**
 * The sets for unused versions, ordered by the age of the version, then by the position of its get. Versions
 * that lead to the same set share it. A version that no set can take has no set. The search ends when a set
 * exceeds the limit.
 */
function setsPerVersion(
  job: JobFacts,
  newest: number[],
  { snapshot, limit }: Pick<Context, 'snapshot' | 'limit'>,
): Pick<AutomaticSets, 'sets' | 'truncated' | 'needs'> {
  const sets = new Map<string, VersionSet>();
  const needs: NeededPage[] = [];
  const unused = [...unusedVersions(job, snapshot), ...unusedPassedVersions(job, snapshot)];
  for (const version of unused.toSorted((a, b) => a.version - b.version || a.position - b.position)) {
    const result = setFor(version, newest, snapshot);
    if ('needs' in result) needs.push(...result.needs);
    if (!('set' in result) || sets.has(String(result.set.versions))) continue;
    if (sets.size === limit) return { sets: [...sets.values()], truncated: true, needs };
    sets.set(String(result.set.versions), result.set);
  }
  return { sets: [...sets.values()], truncated: false, needs };
}

/** Unused versions of gets without `passed`. */
function unusedVersions({ gets }: JobFacts, snapshot: Snapshot): UnusedVersion[] {
  return gets.flatMap((get, position) =>
    takesEvery(get) && get.passed.length === 0
      ? unusedOf(get, snapshot).map((version) => ({ get, position, version }))
      : [],
  );
}

/** Unused versions of gets with `passed`, including versions that passed after newer ones. */
function unusedPassedVersions({ gets }: JobFacts, snapshot: Snapshot): UnusedVersion[] {
  return passedGroups(gets).flatMap((group) =>
    group
      .filter(({ get }) => takesEvery(get))
      .flatMap((member) => unusedOf(member.get, snapshot).map((version) => ({ ...member, version, group }))),
  );
}

/**
 * The set for an unused version. The gets of its group take versions that fit it, and all other gets take
 * their newest.
 */
function setFor(
  { get, position, version, group }: UnusedVersion,
  newest: number[],
  snapshot: Snapshot,
): { set: VersionSet } | { needs: NeededPage[] } | { none: true } {
  const cause: BuildCause = { kind: 'version', resource: get.resource, version };
  if (group === undefined) return { set: { versions: newest.with(position, version), cause } };
  const solution = solveGroup(group, snapshot, { position, version });
  if ('needs' in solution) return { needs: solution.needs };
  if (!('versions' in solution)) return { none: true };
  const versions = [...newest];
  for (const [index, member] of group.entries()) {
    const solved = solution.versions[index];
    if (solved === undefined) throw new Error(`The solution lacks a version for get ${member.position}.`);
    versions[member.position] = solved;
  }
  return { set: { versions, cause } };
}

/**
 * The newest version in the newest set that triggers a build. Its get is a trigger that does not take every
 * version, and the version was found after the baseline of this get. No build used it for this get, and no
 * other set of this decision takes it for this get.
 */
function unusedTrigger(
  job: JobFacts,
  newest: number[],
  { sets, used, snapshot }: { sets: readonly VersionSet[]; used: UsedVersions; snapshot: Snapshot },
): { trigger?: ResourceVersion; needs: NeededPage[] } {
  const needs: NeededPage[] = [];
  const unused: ResourceVersion[] = [];
  for (const [position, get] of job.gets.entries()) {
    const version = newest[position];
    if (!get.trigger || get.every || version === undefined) continue;
    if (snapshot.idOf(version) <= get.baseline) continue;
    if (sets.some((set) => set.versions[position] === version)) continue;
    const answer = used.has({ job: job.id, get: position, version: snapshot.idOf(version) });
    if (typeof answer === 'object') needs.push(answer.need);
    else if (!answer) unused.push({ resource: get.resource, version });
  }
  const [trigger] = unused.toSorted((a, b) => b.version - a.version);
  return trigger === undefined ? { needs } : { trigger, needs };
}
