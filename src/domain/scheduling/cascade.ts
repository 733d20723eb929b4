import type { VersionSet } from './automatic-sets.ts';
import { gatedGroups, solveGroup, type Choice, type GatedPlace, type Known } from './choose-set.ts';
import type { BuildRequest, JobFacts, Need, Taken } from './facts.ts';
import type { Reason } from './reasons.ts';

/** A get of the resource that somebody triggered a version of. */
export interface CascadeGet {
  job: number;
  trigger: boolean;
  passed: readonly number[];
}

/**
 * Jobs in which builds follow from those of a triggered version: along triggers with `passed`, from the jobs
 * that were asked for a build with it.
 */
export function followingJobs(gets: readonly CascadeGet[], asked: readonly number[]): number[] {
  const reached = new Set(asked);
  for (const upstream of reached)
    for (const { job, trigger, passed } of gets) if (trigger && passed.includes(upstream)) reached.add(job);
  return [...reached].filter((job) => !asked.includes(job));
}

type Cascaded =
  | { set: VersionSet }
  /** It will not be built: what stands against it is a decision of people. */
  | { refused: Reason[] }
  /** Upstream builds of the same trigger have not all succeeded, or other inputs are missing. */
  | { waits: true }
  | { needs: Need[] };

/**
 * The set for a build that follows from a triggered version through `passed`, although a newer one has
 * passed.
 */
export function cascadedSet(
  job: JobFacts,
  { id, by, version: wanted, after = [] }: BuildRequest,
  { choice, known, paused }: { choice: Choice; known: Known; paused: Reason[] },
): Cascaded {
  if (wanted === undefined || after.length === 0 || after.some(({ good }) => !good)) return { waits: true };
  const against = [...paused, ...whyAgainst(wanted, known)];
  if (against.length > 0) return { refused: against };
  const solved = solveWith(job, wanted, { choice, known });
  if (!('versions' in solved)) return solved;
  return { set: { ...solved, cause: { kind: 'manual', request: id, by } } };
}

/** The newest set in which a get that triggers takes the version. */
function solveWith(
  { gets }: JobFacts,
  { resource, version }: Taken,
  { choice, known }: { choice: Choice; known: Known },
): { versions: number[] } | { waits: true } | { needs: Need[] } {
  const takes = ({ get }: GatedPlace): boolean => get.trigger && get.resource === resource;
  const group = gatedGroups(gets).find((places) => places.some(takes));
  const place = group?.find(takes);
  if (group === undefined || place === undefined) return { waits: true };
  const solution = solveGroup(group, known, { index: place.index, version });
  if ('needs' in solution) return solution;
  if (!('versions' in solution)) return { waits: true };
  const chosen = [...choice.versions];
  for (const [position, { index }] of group.entries()) chosen[index] = solution.versions[position];
  const versions = chosen.flatMap((one) => one ?? []);
  return versions.length < gets.length ? { waits: true } : { versions };
}

/** The version was disabled, or its resource pinned to another one, since it was triggered. */
function whyAgainst(
  { resource: id, version, disabled }: NonNullable<BuildRequest['version']>,
  known: Known,
): Reason[] {
  const { name, pinned } = known.resource(id);
  const data = { resource: name, version: known.idOf(version) };
  if (disabled) return [{ code: 'VersionDisabled', message: `Version ${data.version} is disabled.`, data }];
  if (pinned === undefined || pinned.version === version) return [];
  return [{ code: 'Pinned', message: `${name} is pinned to another version than ${data.version}.`, data }];
}
