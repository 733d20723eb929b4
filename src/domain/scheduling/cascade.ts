import type { VersionSet } from './automatic-sets.ts';
import type { ChosenSet } from './choose-set.ts';
import type { BuildRequest, Facts, JobFacts, NeededPage, ResourceVersion } from './facts.ts';
import { passedGroups, solveGroup, type JobGet } from './passed-groups.ts';
import type { Reason } from './reasons.ts';
import type { RequestedSets } from './requested-sets.ts';
import type { Snapshot } from './snapshot.ts';
import { blockersOf } from './why-no-build.ts';

/** A get of the resource of which somebody triggered a version. */
export interface CascadeGet {
  job: number;
  trigger: boolean;
  passed: readonly number[];
}

/**
 * Jobs that a triggered version cascades to: along gets with `trigger` and `passed`, from the jobs that were
 * triggered with it.
 */
export function cascadeJobs(gets: readonly CascadeGet[], triggered: readonly number[]): number[] {
  const reached = new Set(triggered);
  for (const upstream of reached)
    for (const { job, trigger, passed } of gets) if (trigger && passed.includes(upstream)) reached.add(job);
  return [...reached].filter((job) => !triggered.includes(job));
}

/** Sets with versions that were triggered upstream, the oldest request first. */
export function cascadedSets(
  job: JobFacts,
  choice: ChosenSet,
  { facts, snapshot }: { facts: Facts; snapshot: Snapshot },
): RequestedSets & { needs: NeededPage[] } {
  const blockers = blockersOf(job, { paused: facts.paused });
  const answers: RequestedSets & { needs: NeededPage[] } = { sets: [], refused: [], needs: [] };
  for (const request of job.requests.toSorted((a, b) => a.id - b.id)) {
    if (request.after === undefined) continue;
    const answer = cascadedSet(job, request, { choice, snapshot, blockers });
    if ('set' in answer) answers.sets.push(answer.set);
    if ('refused' in answer) answers.refused.push({ request: request.id, reasons: answer.refused });
    if ('needs' in answer) answers.needs.push(...answer.needs);
  }
  return answers;
}

type CascadeAnswer =
  | { set: VersionSet }
  /** A decision of people prevents it for good. */
  | { refused: Reason[] }
  /** Upstream builds of the same trigger have not all succeeded, or other inputs are missing. */
  | { waits: true }
  | { needs: NeededPage[] };

/** The set that takes the triggered version through `passed`, even if a newer version has passed. */
function cascadedSet(
  job: JobFacts,
  { id, by, version: wanted, after = [] }: BuildRequest,
  { choice, snapshot, blockers }: { choice: ChosenSet; snapshot: Snapshot; blockers: Reason[] },
): CascadeAnswer {
  if (wanted === undefined || after.length === 0 || after.some(({ good }) => !good)) return { waits: true };
  const refused = [...blockers, ...whyNotAnyMore(wanted, snapshot)];
  if (refused.length > 0) return { refused };
  const solved = solveWith(job, wanted, { choice, snapshot });
  if (!('versions' in solved)) return solved;
  return { set: { ...solved, cause: { kind: 'manual', request: id, by } } };
}

/** The newest set in which a get with `trigger` and `passed` takes the version. */
function solveWith(
  { gets }: JobFacts,
  { resource, version }: ResourceVersion,
  { choice, snapshot }: { choice: ChosenSet; snapshot: Snapshot },
): { versions: number[] } | { waits: true } | { needs: NeededPage[] } {
  const takesIt = ({ get }: JobGet): boolean => get.trigger && get.resource === resource;
  const group = passedGroups(gets).find((members) => members.some(takesIt));
  const taker = group?.find(takesIt);
  if (group === undefined || taker === undefined) return { waits: true };
  const solution = solveGroup(group, snapshot, { position: taker.position, version });
  if ('needs' in solution) return solution;
  if (!('versions' in solution)) return { waits: true };
  const chosen = [...choice.versions];
  for (const [index, { position }] of group.entries()) chosen[position] = solution.versions[index];
  const versions = chosen.flatMap((one) => one ?? []);
  return versions.length < gets.length ? { waits: true } : { versions };
}

/** Since it was triggered, the version was disabled, or its resource was pinned to another one. */
function whyNotAnyMore(
  { resource: id, version, disabled }: NonNullable<BuildRequest['version']>,
  snapshot: Snapshot,
): Reason[] {
  const { name, pinned } = snapshot.resource(id);
  const data = { resource: name, version: snapshot.idOf(version) };
  if (disabled) return [{ code: 'VersionDisabled', message: `Version ${data.version} is disabled.`, data }];
  if (pinned === undefined || pinned.version === version) return [];
  const message = `${name} is pinned to another version than ${data.version}.`;
  return [{ code: 'Pinned', message, data }];
}
