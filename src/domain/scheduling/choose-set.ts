import type { Facts, GetFacts, JobFacts, Need, ResourceFacts } from './facts.ts';
import { knownPasses, type KnownPasses } from './good-builds.ts';
import type { Reason } from './reasons.ts';
import { solvePassed, type GatedGet, type Solution } from './solve-passed.ts';
import { whyNoAgreement, whyNotPassed, whyNoVersion, whyTooDeep } from './why-unmet.ts';

/**
 * Versions for the gets of a job, by position; where one has none there is the reason. While there are needs,
 * neither says all.
 */
export interface Choice {
  versions: (number | undefined)[];
  missing: { get: number; reason: Reason }[];
  needs: Need[];
}

/** Facts made ready for questions. */
export interface Known {
  resource(id: number): ResourceFacts;
  passes: KnownPasses;
  /** Row id of the version at a place. */
  idOf: (version: number) => number;
  exhausted: boolean;
}

export function know(facts: Facts): Known {
  const resources = new Map(facts.resources.map((resource) => [resource.id, resource]));
  return {
    resource(id) {
      const found = resources.get(id);
      if (found === undefined) throw new Error(`The facts do not tell of resource ${id}, which a get takes.`);
      return found;
    },
    passes: knownPasses(facts.passes),
    idOf: (version) => facts.ids?.get(version) ?? version,
    exhausted: facts.exhausted ?? false,
  };
}

/**
 * The newest versions that the gets of a job may take together: pins first, then what `passed` allows, then
 * simply the newest.
 */
export function chooseSet(job: JobFacts, known: Known): Choice {
  const choice: Choice = { versions: job.gets.map(() => undefined), missing: [], needs: [] };
  for (const [index, get] of job.gets.entries()) {
    if (get.passed.length > 0) continue;
    const resource = known.resource(get.resource);
    const version = ungatedVersion(resource, known);
    if (version === undefined) choice.missing.push({ get: index, reason: whyNoVersion(resource, known) });
    else choice.versions[index] = version;
  }
  for (const group of gatedGroups(job.gets)) chooseGroup(group, known, choice);
  choice.missing.sort((a, b) => a.get - b.get);
  return choice;
}

function ungatedVersion(resource: ResourceFacts, known: Known): number | undefined {
  const { pinned, newest, held } = resource;
  if (pinned === undefined) return held === undefined ? newest : held.newest;
  return cannotBeTaken(resource, known) ? undefined : pinned.version;
}

function cannotBeTaken({ pinned, held }: ResourceFacts, { idOf }: Known): boolean {
  if (pinned === undefined) return false;
  return (
    pinned.disabled || pinned.unknown === true || (held !== undefined && idOf(pinned.version) >= held.from)
  );
}

/** A get with `passed` and its position. */
export interface GatedPlace {
  index: number;
  get: GetFacts;
}

/**
 * Gets with `passed`, in groups that must be solved together because they share upstream jobs. Within a group
 * triggers come first: they get the newest version that can be had.
 */
export function gatedGroups(gets: readonly GetFacts[]): GatedPlace[][] {
  let groups: { upstreams: Set<number>; places: GatedPlace[] }[] = [];
  for (const [index, get] of gets.entries()) {
    if (get.passed.length === 0) continue;
    const own = get.passed.map(({ job }) => job);
    const joined = groups.filter(({ upstreams }) => own.some((job) => upstreams.has(job)));
    const upstreams = new Set([...own, ...joined.flatMap((group) => [...group.upstreams])]);
    const places = [{ index, get }, ...joined.flatMap((group) => group.places)];
    groups = [...groups.filter((group) => !joined.includes(group)), { upstreams, places }];
  }
  const rank = ({ index, get }: GatedPlace): number => index + (get.trigger ? 0 : gets.length);
  return groups.map(({ places }) => places.toSorted((a, b) => rank(a) - rank(b)));
}

function chooseGroup(group: GatedPlace[], known: Known, choice: Choice): void {
  const blocked = group.filter(({ get }) => cannotBeTaken(known.resource(get.resource), known));
  for (const { index, get } of blocked)
    choice.missing.push({ get: index, reason: whyNoVersion(known.resource(get.resource), known) });
  if (blocked.length > 0) return;
  const solution = solveGroup(group, known);
  if ('needs' in solution) choice.needs.push(...solution.needs);
  else if ('versions' in solution)
    for (const [place, { index }] of group.entries()) choice.versions[index] = solution.versions[place];
  else choice.missing.push(...whyUnsolved(solution, group, known));
}

/** `wanted`: a version that the get at this position must take. */
export function solveGroup(
  group: readonly GatedPlace[],
  known: Known,
  wanted?: { index: number; version: number },
): Solution {
  const gated = group.map(({ index, get }): GatedGet => {
    const { pinned, held } = known.resource(get.resource);
    const only = wanted?.index === index ? wanted.version : pinned?.version;
    const passed = get.passed.map(({ job }) => job);
    return {
      resource: get.resource,
      passed,
      ...(only === undefined ? {} : { only }),
      ...(held === undefined ? {} : { isHeld: (version) => known.idOf(version) >= held.from }),
    };
  });
  const solution = solvePassed(gated, known.passes);
  return 'needs' in solution && known.exhausted ? { tooDeep: true } : solution;
}

/** Those that find nothing alone are told of; when each does, the whole group is. */
function whyUnsolved(
  solution: { unmet: number[] } | { tooDeep: true },
  group: readonly GatedPlace[],
  known: Known,
): Choice['missing'] {
  const names = group.map(({ get }) => known.resource(get.resource).name);
  const alone = 'unmet' in solution && solution.unmet.length > 0;
  return group
    .filter((_, place) => !alone || solution.unmet.includes(place))
    .map(({ index, get }) => {
      const resource = known.resource(get.resource);
      const jobs = get.passed.map(({ name }) => name);
      if ('tooDeep' in solution) return { get: index, reason: whyTooDeep(resource, jobs) };
      const reason = alone ? whyNotPassed(resource, jobs, known) : whyNoAgreement(resource, jobs, names);
      return { get: index, reason };
    });
}
