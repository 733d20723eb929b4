import { gatedGroups, solveGroup, type Choice, type GatedPlace, type Known } from './choose-set.ts';
import type { BuildCause } from './decision.ts';
import { MOST_UNUSED, type GetFacts, type JobFacts, type Need } from './facts.ts';
import type { KnownUsed } from './used-versions.ts';
import { orderSets } from './order-sets.ts';
import { mayBuildNewest, supersededBy } from './supersede.ts';

/** Versions by position of the get. */
export interface VersionSet {
  versions: number[];
  cause: BuildCause;
  supersedes?: number[];
}

export interface AutomaticSets {
  sets: VersionSet[];
  /** There are more than there was room for: these are the oldest. */
  cut: boolean;
  /** A get has more new versions than one decision takes: decide again at once. */
  more: boolean;
  /**
   * Positions of the gets whose newest version waits for the last of these decisions, because the newest set
   * is to be built last.
   */
  postponed: number[];
  /** The newest set is new too, but has to wait for the automatic build that has not ended. */
  ready: boolean;
  needs: Need[];
}

interface Context {
  known: Known;
  used: KnownUsed;
  /** As many sets at most. */
  room: number;
}

/** The sets of versions that a job without hindrances wants a build for, the newest last. */
export function automaticSets(job: JobFacts, choice: Choice, { known, used, room }: Context): AutomaticSets {
  const newest = choice.versions.flatMap((version) => version ?? []);
  const { sets: wanted, cut, needs } = setsForVersions(job, newest, { known, room });
  const more = hasMore(job, wanted.length);
  const postponed = (cut || more) && wanted.length > 1 ? postponedGets(job, newest, known) : [];
  const sets = orderSets(beforeLast(job, { wanted, newest, postponed }, { known, room }), newest);
  const told = { sets, more, postponed };
  const fresh = freshTriggers(job, newest, { sets, used, known });
  const ready = fresh.trigger !== undefined;
  if (fresh.trigger !== undefined && !cut && mayBuildNewest(job, sets.length)) {
    if (sets.length === room) return { ...told, cut: true, ready, needs: [...needs, ...fresh.needs] };
    sets.push({ versions: newest, cause: { kind: 'ready', ...fresh.trigger } });
  }
  supersedeQueued(job, sets, newest);
  return { ...told, cut, ready, needs: [...needs, ...fresh.needs] };
}

/** A build of the newest set takes the place of those that are queued, whatever made it. */
function supersedeQueued(job: JobFacts, sets: VersionSet[], newest: number[]): void {
  const superseded = supersededBy(job).map(({ id }) => id);
  const last = sets.at(-1);
  if (last !== undefined && superseded.length > 0 && String(last.versions) === String(newest))
    last.supersedes = superseded;
}

/** Of a get more versions want a build than one decision takes. */
function hasMore({ gets }: JobFacts, made: number): boolean {
  return gets
    .filter(({ trigger, every }) => trigger && every)
    .some(({ unused, passed }) =>
      passed.length === 0 ? unused.length > MOST_UNUSED : unused.length >= MOST_UNUSED && made > 0,
    );
}

/**
 * Which gets keep their newest version for the last decision. One is enough where it has an older version for
 * the other gets to take: the newest set is still wanted then, whatever these decisions use.
 */
function postponedGets({ gets }: JobFacts, newest: number[], known: Known): number[] {
  const one = gets.findIndex(
    (get, index) =>
      takesEvery(get, false) && unusedOf(get, known).some((version) => version !== newest[index]),
  );
  return one === -1 ? [...gets.keys()] : [one];
}

/**
 * The wanted sets, without those that wait for the last decision; where one get's newest version waits, the
 * others take the one before.
 */
function beforeLast(
  job: JobFacts,
  { wanted, newest, postponed }: { wanted: VersionSet[]; newest: number[]; postponed: number[] },
  context: Pick<Context, 'known' | 'room'>,
): VersionSet[] {
  const [one, another] = postponed;
  if (one === undefined) return wanted;
  const get = job.gets[one];
  if (get === undefined || another !== undefined || !takesEvery(get, false))
    return wanted.filter(({ versions }) => String(versions) !== String(newest));
  const before = unusedOf(get, context.known).filter((version) => version !== newest[one]);
  const instead = newest.with(one, Math.max(...before));
  return setsForVersions(job, instead, context).sets.filter(({ versions }) => versions[one] !== newest[one]);
}

const takesEvery = (get: GetFacts, gated: boolean): boolean =>
  get.trigger && get.every && get.passed.length > 0 === gated;

/**
 * Those that this decision takes: what was found first, so that marks can tell how far it went; the oldest
 * version first.
 */
export function unusedOf({ unused }: GetFacts, { idOf }: Pick<Known, 'idOf'>): number[] {
  return unused
    .toSorted((a, b) => idOf(a) - idOf(b))
    .slice(0, MOST_UNUSED)
    .toSorted((a, b) => a - b);
}

/** A version of a get that wants a build. `group`: the gets with which its upstream jobs have to agree. */
interface Candidate extends GatedPlace {
  version: number;
  group?: GatedPlace[];
}

/**
 * One set for each version that wants a build, oldest version first, then in the order of gets. Versions that
 * come together never make the same set twice. Sets are made only while there is room, so that the work is
 * bounded too.
 */
function setsForVersions(
  job: JobFacts,
  newest: number[],
  { known, room }: Pick<Context, 'known' | 'room'>,
): Pick<AutomaticSets, 'sets' | 'cut' | 'needs'> {
  const first = new Map<string, VersionSet>();
  const needs: Need[] = [];
  const all = [...newVersions(job, known), ...passedVersions(job, known)];
  for (const candidate of all.toSorted((a, b) => a.version - b.version || a.index - b.index)) {
    const made = setFor(candidate, newest, known);
    if ('needs' in made) needs.push(...made.needs);
    if (!('set' in made) || first.has(String(made.set.versions))) continue;
    if (first.size === room) return { sets: [...first.values()], cut: true, needs };
    first.set(String(made.set.versions), made.set);
  }
  return { sets: [...first.values()], cut: false, needs };
}

function newVersions({ gets }: JobFacts, known: Known): Candidate[] {
  return gets.flatMap((get, index) =>
    takesEvery(get, false) ? unusedOf(get, known).map((version) => ({ get, index, version })) : [],
  );
}

/** Versions that are ready, whenever they became so. */
function passedVersions({ gets }: JobFacts, known: Known): Candidate[] {
  return gatedGroups(gets).flatMap((group) =>
    group
      .filter(({ get }) => takesEvery(get, true))
      .flatMap((place) => unusedOf(place.get, known).map((version) => ({ ...place, version, group }))),
  );
}

/** Gets that share upstream jobs take what fits the version; the others take the newest. */
function setFor(
  { get, index, version, group }: Candidate,
  newest: number[],
  known: Known,
): { set: VersionSet } | { needs: Need[] } | { none: true } {
  const cause: BuildCause = { kind: 'version', resource: get.resource, version };
  if (group === undefined) return { set: { versions: newest.with(index, version), cause } };
  const solution = solveGroup(group, known, { index, version });
  if ('needs' in solution) return { needs: solution.needs };
  if (!('versions' in solution)) return { none: true };
  const versions = [...newest];
  for (const [place, member] of group.entries()) versions[member.index] = solution.versions[place] ?? 0;
  return { set: { versions, cause } };
}

/**
 * The newest trigger of the newest set that no build used for its get, no set above uses, and that came after
 * the baseline.
 */
function freshTriggers(
  job: JobFacts,
  newest: number[],
  { sets, used, known }: Omit<Context, 'room'> & { sets: VersionSet[] },
): { trigger?: { resource: number; version: number }; needs: Need[] } {
  const needs: Need[] = [];
  const fresh: { resource: number; version: number }[] = [];
  for (const [index, get] of job.gets.entries()) {
    const version = newest[index];
    if (!get.trigger || get.every || version === undefined || known.idOf(version) <= get.baseline) continue;
    if (sets.some((set) => set.versions[index] === version)) continue;
    const answer = used.has({ job: job.id, get: index, version: known.idOf(version) });
    if (typeof answer === 'object') needs.push(answer.need);
    else if (!answer) fresh.push({ resource: get.resource, version });
  }
  const trigger = fresh.toSorted((a, b) => b.version - a.version)[0];
  return trigger === undefined ? { needs } : { trigger, needs };
}
