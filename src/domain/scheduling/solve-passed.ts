import { NEWEST, type Need, type Taken } from './facts.ts';
import type { Found, KnownPasses } from './good-builds.ts';

/** A get with `passed`. */
export interface GatedGet {
  resource: number;
  passed: readonly number[];
  /** The one version that will do: a pin, or the one that wants a build. */
  only?: number;
  /** Versions that do not come into question. */
  isHeld?: (version: number) => boolean;
}

export type Solution =
  /** By position. */
  | { versions: number[] }
  /** Each of these gets alone finds nothing; empty: each does, but no builds agree. */
  | { unmet: number[] }
  | { needs: Need[] }
  | { tooDeep: true };

/**
 * Versions for gets such that each upstream job has one good build that took all of its gets' versions.
 * Earlier gets come first: each takes the newest version that leaves one for every later get. The order in
 * which builds ran means nothing.
 */
export function solvePassed(gets: readonly GatedGet[], known: KnownPasses): Solution {
  const steps = { left: MOST_STEPS };
  const alone = gets.map((get) => candidate(get, atMost(get), { known, fixed: new Map(), steps }));
  if (alone.some((found) => 'tooDeep' in found)) return { tooDeep: true };
  const needs = alone.flatMap((found) => ('needs' in found ? found.needs : []));
  if (needs.length > 0) return { needs };
  const unmet = alone.flatMap((found, index) => ('none' in found ? [index] : []));
  if (unmet.length > 0) return { unmet };
  const found = search({ gets, known, steps, dead: new Set() }, 0, new Map());
  return 'none' in found ? { unmet: [] } : found;
}

/** Questions asked of the pages by one search: far more than any sane pipeline needs, and milliseconds. */
const MOST_STEPS = 20_000;

/** What is fixed so far, by upstream job. */
type Fixed = ReadonlyMap<number, readonly Taken[]>;

interface Search {
  gets: readonly GatedGet[];
  known: KnownPasses;
  steps: { left: number };
  /** States from which nothing was found, so that none is explored twice. */
  dead: Set<string>;
}

type Nothing = { none: true } | { needs: Need[] } | { tooDeep: true };
type Searched = { versions: number[] } | Nothing;
type Candidate = { version: number } | Nothing;

function search(state: Search, index: number, fixed: Fixed): Searched {
  const get = state.gets[index];
  if (get === undefined) return { versions: [] };
  const key = stateKey(state.gets, index, fixed);
  if (state.dead.has(key)) return { none: true };
  let limit = atMost(get);
  for (;;) {
    const found = candidate(get, limit, { ...state, fixed });
    if (!('version' in found)) {
      if ('none' in found) state.dead.add(key);
      return found;
    }
    const rest = search(state, index + 1, withVersion(fixed, get, found.version));
    if ('versions' in rest) return { versions: [found.version, ...rest.versions] };
    if (!('none' in rest)) return rest;
    limit = found.version - 1;
  }
}

/**
 * Newest version, not above the limit, on which all upstream jobs of a get agree: each in turn lowers it
 * until none does.
 */
function candidate(
  get: GatedGet,
  limit: number,
  { known, fixed, steps }: { known: KnownPasses; fixed: Fixed; steps: { left: number } },
): Candidate {
  let version = limit;
  for (;;) {
    if (steps.left <= 0) return { tooDeep: true };
    steps.left -= get.passed.length;
    const asked = version;
    const found = get.passed.map((upstream) =>
      known.newest({
        upstream,
        resource: get.resource,
        atMost: asked,
        fixed: fixed.get(upstream) ?? [],
      }),
    );
    const lowest = lowestOf(found);
    if (!('version' in lowest)) return lowest;
    if (!mayTake(get, lowest.version)) {
      if (get.only !== undefined) return { none: true };
      version = lowest.version - 1;
    } else if (agree(found, lowest.version, asked)) return lowest;
    else version = lowest.version;
  }
}

function mayTake({ only, isHeld }: GatedGet, version: number): boolean {
  return (only === undefined || version === only) && isHeld?.(version) !== true;
}

function agree(found: Found[], version: number, asked: number): boolean {
  return version === asked || found.every((one) => 'version' in one && one.version === version);
}

function lowestOf(found: Found[]): Candidate {
  if (found.some((one) => 'none' in one)) return { none: true };
  const needs = found.flatMap((one) => ('need' in one ? [one.need] : []));
  if (needs.length > 0) return { needs };
  return { version: Math.min(...found.flatMap((one) => ('version' in one ? [one.version] : []))) };
}

function atMost(get: GatedGet): number {
  return get.only ?? NEWEST;
}

function withVersion(fixed: Fixed, get: GatedGet, version: number): Fixed {
  const next = new Map(fixed);
  for (const upstream of get.passed)
    next.set(upstream, [...(next.get(upstream) ?? []), { resource: get.resource, version }]);
  return next;
}

/** What the gets that are left can see of what is fixed. */
function stateKey(gets: readonly GatedGet[], index: number, fixed: Fixed): string {
  const seen = new Set(gets.slice(index).flatMap((get) => get.passed));
  const parts = [...seen].map(
    (upstream) =>
      `${upstream}:${(fixed.get(upstream) ?? []).map(({ resource, version }) => `${resource}=${version}`).join(',')}`,
  );
  return `${index} ${parts.join(' ')}`;
}
