import { NEWEST, type NeededPage, type ResourceVersion } from './facts.ts';
import type { GoodBuilds, NewestVersion } from './good-builds.ts';

/** What the solver knows of a get with `passed`. */
export interface PassedGet {
  resource: number;
  /** Upstream jobs. */
  passed: readonly number[];
  /** The only version that the get may take: its pin, or the version that the build is for. */
  only?: number;
  /**
   * Whether the get may not take this version yet, because its hooks are running. Absent: it may take any.
   */
  isHeld?: (version: number) => boolean;
}

export type Solution =
  /** In the order of the gets. */
  | { versions: number[] }
  /**
   * Indexes of the gets that have no version even on their own. Empty: each get has one, but no builds agree.
   */
  | { unmet: number[] }
  | { needs: NeededPage[] }
  | { tooDeep: true };

/**
 * Versions for gets such that each upstream job has one good build that took or made all versions of its
 * gets. Earlier gets take precedence: each takes the newest version that leaves a version for every later
 * get. Versions are compared, never builds: the order in which builds ran has no influence.
 *
 * This is a depth-first search over the gets. A dead end is never explored twice.
 */
export function solvePassed(gets: readonly PassedGet[], goodBuilds: GoodBuilds): Solution {
  const steps = { left: MAX_STEPS };
  const candidates = gets.map((get) => candidate(get, atMost(get), { goodBuilds, chosen: new Map(), steps }));
  if (candidates.some((found) => 'tooDeep' in found)) return { tooDeep: true };
  const needs = candidates.flatMap((found) => ('needs' in found ? found.needs : []));
  if (needs.length > 0) return { needs };
  const unmet = candidates.flatMap((found, index) => ('none' in found ? [index] : []));
  if (unmet.length > 0) return { unmet };
  const solution = search({ gets, goodBuilds, steps, deadEnds: new Set() }, 0, new Map());
  return 'none' in solution ? { unmet: [] } : solution;
}

/** Lookups that one search may make. They take milliseconds, and a sensible pipeline needs far fewer. */
const MAX_STEPS = 20_000;

/** The versions chosen so far, by upstream job. */
type ChosenByUpstream = ReadonlyMap<number, readonly ResourceVersion[]>;

interface Search {
  gets: readonly PassedGet[];
  goodBuilds: GoodBuilds;
  steps: { left: number };
  /** Keys of states from which no version was found. */
  deadEnds: Set<string>;
}

type NotFound = { none: true } | { needs: NeededPage[] } | { tooDeep: true };

/** Versions for the gets from `index` on that fit those chosen so far. */
function search(state: Search, index: number, chosen: ChosenByUpstream): { versions: number[] } | NotFound {
  const get = state.gets[index];
  if (get === undefined) return { versions: [] };
  const key = stateKey(state.gets, index, chosen);
  if (state.deadEnds.has(key)) return { none: true };
  let limit = atMost(get);
  for (;;) {
    const found = candidate(get, limit, { ...state, chosen });
    if (!('version' in found)) {
      if ('none' in found) state.deadEnds.add(key);
      return found;
    }
    const later = search(state, index + 1, withVersion(chosen, get, found.version));
    if ('versions' in later) return { versions: [found.version, ...later.versions] };
    if (!('none' in later)) return later;
    // The version leaves a later get without a version: continue with the next older version.
    limit = found.version - 1;
  }
}

/**
 * The newest version up to the limit on which all upstream jobs of a get agree. Each job names its newest
 * version up to the limit. The oldest of these versions is the next limit, until all jobs name the same
 * version.
 */
function candidate(
  get: PassedGet,
  limit: number,
  {
    goodBuilds,
    chosen,
    steps,
  }: { goodBuilds: GoodBuilds; chosen: ChosenByUpstream; steps: { left: number } },
): { version: number } | NotFound {
  let version = limit;
  for (;;) {
    if (steps.left <= 0) return { tooDeep: true };
    steps.left -= get.passed.length;
    const newest = newestPassed(get, version, { goodBuilds, chosen });
    const oldest = oldestOf(newest);
    if (!('version' in oldest)) return oldest;
    if (!mayTake(get, oldest.version)) {
      if (get.only !== undefined) return { none: true };
      version = oldest.version - 1;
    } else if (allAgree(newest, oldest.version, version)) return oldest;
    else version = oldest.version;
  }
}

/**
 * For each upstream job of a get, the newest version up to the limit that one of its good builds took or
 * made.
 */
function newestPassed(
  { passed, resource }: PassedGet,
  limit: number,
  { goodBuilds, chosen }: { goodBuilds: GoodBuilds; chosen: ChosenByUpstream },
): NewestVersion[] {
  return passed.map((upstream) =>
    goodBuilds.newestVersion({ upstream, resource, atMost: limit, alsoTook: chosen.get(upstream) ?? [] }),
  );
}

function mayTake({ only, isHeld }: PassedGet, version: number): boolean {
  return (only === undefined || version === only) && isHeld?.(version) !== true;
}

/**
 * Whether all jobs name `version`, the oldest named one. No job names a version above `limit`, so all agree
 * if the oldest is `limit`.
 */
function allAgree(newest: NewestVersion[], version: number, limit: number): boolean {
  return version === limit || newest.every((answer) => 'version' in answer && answer.version === version);
}

function oldestOf(newest: NewestVersion[]): { version: number } | NotFound {
  if (newest.some((answer) => 'none' in answer)) return { none: true };
  const needs = newest.flatMap((answer) => ('need' in answer ? [answer.need] : []));
  if (needs.length > 0) return { needs };
  return { version: Math.min(...newest.flatMap((answer) => ('version' in answer ? [answer.version] : []))) };
}

function atMost(get: PassedGet): number {
  return get.only ?? NEWEST;
}

function withVersion(chosen: ChosenByUpstream, get: PassedGet, version: number): ChosenByUpstream {
  const next = new Map(chosen);
  for (const upstream of get.passed)
    next.set(upstream, [...(next.get(upstream) ?? []), { resource: get.resource, version }]);
  return next;
}

/** Identifies a state of the search by the chosen versions that matter to the gets from `index` on. */
function stateKey(gets: readonly PassedGet[], index: number, chosen: ChosenByUpstream): string {
  const upstreams = new Set(gets.slice(index).flatMap((get) => get.passed));
  const parts = [...upstreams].map(
    (upstream) =>
      `${upstream}:${(chosen.get(upstream) ?? []).map(({ resource, version }) => `${resource}=${version}`).join(',')}`,
  );
  return `${index} ${parts.join(' ')}`;
}
