import { gatedGroups, solveGroup, type Choice, type GatedPlace, type Known } from './choose-set.ts';
import type { BuildCause } from './decision.ts';
import { MOST_UNUSED, type GetFacts, type JobFacts, type Need } from './facts.ts';
import type { KnownUsed } from './known-used.ts';

/** Versions by position of the get. */
export interface VersionSet {
  versions: number[];
  cause: BuildCause;
}

export interface AutomaticSets {
  sets: VersionSet[];
  /** The newest set is new too, but has to wait for the automatic build that has not ended. */
  ready: boolean;
  needs: Need[];
}

interface Context {
  known: Known;
  used: KnownUsed;
}

/** The sets of versions that a job without hindrances wants a build for, oldest version first. */
export function automaticSets(job: JobFacts, choice: Choice, { known, used }: Context): AutomaticSets {
  const newest = choice.versions.flatMap((version) => version ?? []);
  const candidates = [...setsForNewVersions(job, newest), ...setsForPassedVersions(job, newest, known)];
  const sets = distinct(candidates);
  const fresh = freshTriggers(job, newest, { sets, used });
  const ready = fresh.trigger !== undefined;
  const mayBuild = job.interruptible === true || (job.active === undefined && sets.length === 0);
  if (fresh.trigger !== undefined && mayBuild)
    sets.push({ versions: newest, cause: { kind: 'ready', ...fresh.trigger } });
  return {
    sets,
    ready,
    needs: [...candidates.flatMap((candidate) => candidate.needs ?? []), ...fresh.needs],
  };
}

const takesEvery = (get: GetFacts, gated: boolean): boolean =>
  get.trigger && get.every && get.passed.length > 0 === gated;

/** Those that this decision takes. */
function unusedOf(get: GetFacts): number[] {
  return get.unused.toSorted((a, b) => a - b).slice(0, MOST_UNUSED);
}

/** A set that a version of one get wants, or what is needed to know it. */
interface Candidate {
  version: number;
  index: number;
  set?: VersionSet;
  needs?: Need[];
}

/** One set for each new version; the other gets take the newest. */
function setsForNewVersions(job: JobFacts, newest: number[]): Candidate[] {
  return job.gets.flatMap((get, index) =>
    takesEvery(get, false)
      ? unusedOf(get).map((version): Candidate => {
          const cause: BuildCause = { kind: 'version', resource: get.resource, version };
          return { version, index, set: { versions: newest.with(index, version), cause } };
        })
      : [],
  );
}

/** One set for each version that is ready, whenever it became so; gets that share its upstream jobs take what fits it. */
function setsForPassedVersions(job: JobFacts, newest: number[], known: Known): Candidate[] {
  return gatedGroups(job.gets).flatMap((group) =>
    group
      .filter(({ get }) => takesEvery(get, true))
      .flatMap((place) =>
        unusedOf(place.get).map((version) => setForPassed({ ...place, version }, group, { newest, known })),
      ),
  );
}

function setForPassed(
  { index, get, version }: GatedPlace & { version: number },
  group: GatedPlace[],
  { newest, known }: { newest: number[]; known: Known },
): Candidate {
  const solution = solveGroup(group, known, { index, version });
  if ('needs' in solution) return { version, index, needs: solution.needs };
  if (!('versions' in solution)) return { version, index };
  const versions = [...newest];
  for (const [place, member] of group.entries()) versions[member.index] = solution.versions[place] ?? 0;
  return { version, index, set: { versions, cause: { kind: 'version', resource: get.resource, version } } };
}

/** In the order of versions, then of gets. Versions that come together never make the same set twice. */
function distinct(candidates: Candidate[]): VersionSet[] {
  const first = new Map<string, VersionSet>();
  for (const { set } of candidates.toSorted((a, b) => a.version - b.version || a.index - b.index))
    if (set !== undefined && !first.has(String(set.versions))) first.set(String(set.versions), set);
  return [...first.values()];
}

/** The newest trigger of the newest set that no build used, no set above uses, and that came after the baseline. */
function freshTriggers(
  job: JobFacts,
  newest: number[],
  { sets, used }: { sets: VersionSet[]; used: KnownUsed },
): { trigger?: { resource: number; version: number }; needs: Need[] } {
  const needs: Need[] = [];
  const fresh: { resource: number; version: number }[] = [];
  for (const [index, get] of job.gets.entries()) {
    const version = newest[index];
    if (!get.trigger || get.every || version === undefined || version <= get.baseline) continue;
    if (sets.some((set) => set.versions[index] === version)) continue;
    const answer = used.has({ job: job.id, resource: get.resource, version });
    if (typeof answer === 'object') needs.push(answer.need);
    else if (!answer) fresh.push({ resource: get.resource, version });
  }
  const trigger = fresh.toSorted((a, b) => b.version - a.version)[0];
  return trigger === undefined ? { needs } : { trigger, needs };
}
