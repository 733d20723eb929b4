import type { GetFacts, JobFacts, NeededPage, ResourceFacts } from './facts.ts';
import { passedGroups, solveGroup, type JobGet } from './passed-groups.ts';
import type { Reason } from './reasons.ts';
import type { Snapshot } from './snapshot.ts';
import { whyNoAgreement, whyNotPassed, whyNoVersion, whySearchStopped } from './why-unmet.ts';

/**
 * A version for each get of a job, by position, or the reason why it has none. If `needs` is not empty, some
 * gets have neither.
 */
export interface ChosenSet {
  versions: (number | undefined)[];
  missing: { get: number; reason: Reason }[];
  needs: NeededPage[];
}

/** The outcome for some of the gets of a job. */
type GetChoice =
  | { position: number; version: number }
  | { position: number; reason: Reason }
  | { needs: NeededPage[] };

/**
 * The newest versions that the gets of a job may take together. A pin decides first, then `passed`; otherwise
 * a get takes the newest version of its resource.
 */
export function chooseSet({ gets }: JobFacts, snapshot: Snapshot): ChosenSet {
  const choices = [
    ...gets.flatMap((get, position) =>
      get.passed.length === 0 ? chooseVersion({ position, get }, snapshot) : [],
    ),
    ...passedGroups(gets).flatMap((group) => chooseGroup(group, snapshot)),
  ];
  const versions = gets.map((): number | undefined => undefined);
  for (const choice of choices) if ('version' in choice) versions[choice.position] = choice.version;
  const missing = choices.flatMap((choice) =>
    'reason' in choice ? [{ get: choice.position, reason: choice.reason }] : [],
  );
  return {
    versions,
    missing: missing.toSorted((a, b) => a.get - b.get),
    needs: choices.flatMap((choice) => ('needs' in choice ? choice.needs : [])),
  };
}

/** Chooses for a get without `passed`: its pin, or the newest version that is not held. */
function chooseVersion({ position, get }: JobGet, snapshot: Snapshot): GetChoice {
  const resource = snapshot.resource(get.resource);
  const { pinned, newest, held } = resource;
  const newestFree = held === undefined ? newest : held.newest;
  const version = pinned === undefined ? newestFree : pinned.version;
  if (version === undefined || isPinUnusable(resource, snapshot))
    return { position, reason: whyNoVersion(resource, snapshot) };
  return { position, version };
}

function isPinUnusable({ pinned, held }: ResourceFacts, { idOf }: Snapshot): boolean {
  if (pinned === undefined) return false;
  const { version, disabled, unknown = false } = pinned;
  return disabled || unknown || (held !== undefined && idOf(version) >= held.from);
}

/** Chooses for gets with `passed`: versions that good builds of their upstream jobs took together. */
function chooseGroup(group: readonly JobGet[], snapshot: Snapshot): GetChoice[] {
  const resourceOf = ({ get }: JobGet): ResourceFacts => snapshot.resource(get.resource);
  const unusable = group.filter((member) => isPinUnusable(resourceOf(member), snapshot));
  if (unusable.length > 0)
    return unusable.map((member) => ({
      position: member.position,
      reason: whyNoVersion(resourceOf(member), snapshot),
    }));
  const solution = solveGroup(group, snapshot);
  if ('needs' in solution) return [solution];
  if (!('versions' in solution)) return whyUnsolved(solution, group, snapshot);
  return group.flatMap(({ position }, index) => {
    const version = solution.versions[index];
    return version === undefined ? [] : [{ position, version }];
  });
}

/**
 * The gets without a version, each with its reason. If some gets find no version even on their own, only
 * those are listed. Otherwise all gets are listed: they do not agree, or the search stopped.
 */
function whyUnsolved(
  solution: { unmet: number[] } | { tooDeep: true },
  group: readonly JobGet[],
  snapshot: Snapshot,
): { position: number; reason: Reason }[] {
  const names = group.map(({ get }) => snapshot.resource(get.resource).name);
  const unmet = 'unmet' in solution ? solution.unmet : [];
  const reasonFor = (get: GetFacts): Reason => {
    const resource = snapshot.resource(get.resource);
    const jobs = get.passed.map(({ name }) => name);
    if ('tooDeep' in solution) return whySearchStopped(resource, jobs);
    return unmet.length > 0 ? whyNotPassed(resource, jobs, snapshot) : whyNoAgreement(resource, jobs, names);
  };
  return group
    .filter((_, index) => unmet.length === 0 || unmet.includes(index))
    .map(({ position, get }) => ({ position, reason: reasonFor(get) }));
}
