import type { VersionSet } from './automatic-sets.ts';
import type { ChosenSet } from './choose-set.ts';
import type { BuildRequest, Facts, JobFacts, NeededPage, ResourceVersion } from './facts.ts';
import { passedGroups, solveGroup, type JobGet } from './passed-groups.ts';
import type { Reason } from './reasons.ts';
import type { RequestedSets } from './requested-sets.ts';
import type { Snapshot } from './snapshot.ts';
import { blockersOf } from './why-no-build.ts';

/** A get of the resource whose version a person triggered. */
export interface CascadeGet {
  job: number;
  trigger: boolean;
  passed: readonly number[];
}

/**
 * Jobs that a triggered version cascades to: along gets with `trigger` and `passed`, from the jobs that were
 * triggered with the version.
 */
export function cascadeJobs(gets: readonly CascadeGet[], triggered: readonly number[]): number[] {
  const reached = new Set(triggered);
  // The loop also visits the jobs that it adds to the set.
  for (const upstream of reached) {
    const triggeredGets = gets.filter(({ trigger, passed }) => trigger && passed.includes(upstream));
    for (const { job } of triggeredGets) reached.add(job);
  }
  return [...reached].filter((job) => !triggered.includes(job));
}

export interface CascadedSets extends RequestedSets {
  needs: NeededPage[];
  /** More sets are due than the queue takes: `sets` has those of the oldest requests. */
  truncated: boolean;
}

/**
 * Sets with versions that were triggered upstream, the oldest request first. At most `room` of them: the
 * person waits for no answer, so the other requests wait until fewer builds are queued.
 */
export function cascadedSets(
  job: JobFacts,
  choice: ChosenSet,
  { facts, snapshot, room }: { facts: Facts; snapshot: Snapshot; room: number },
): CascadedSets {
  const blockers = blockersOf(job, { paused: facts.paused });
  const answers: CascadedSets = { sets: [], refused: [], needs: [], truncated: false };
  for (const request of job.requests.toSorted((a, b) => a.id - b.id)) {
    if (request.after === undefined) continue;
    const answer = cascadedSet(job, request, { choice, snapshot, blockers });
    if ('set' in answer && answers.sets.length < room) answers.sets.push(answer.set);
    else if ('set' in answer) answers.truncated = true;
    if ('refused' in answer) answers.refused.push({ request: request.id, reasons: answer.refused });
    if ('needs' in answer) answers.needs.push(...answer.needs);
  }
  return answers;
}

type CascadeAnswer =
  | { set: VersionSet }
  /** The job is paused, or the version is disabled or not the pinned one. The request ends. */
  | { refused: Reason[] }
  /** Not every upstream job has a good build of the same trigger, or no complete set has the version yet. */
  | { waits: true }
  | { needs: NeededPage[] };

/** The set that takes the triggered version through `passed`, even if a newer version has passed. */
function cascadedSet(
  job: JobFacts,
  { id, by, version: triggered, after = [] }: BuildRequest,
  { choice, snapshot, blockers }: { choice: ChosenSet; snapshot: Snapshot; blockers: Reason[] },
): CascadeAnswer {
  if (triggered === undefined || after.length === 0 || after.some(({ good }) => !good))
    return { waits: true };
  const refused = [...blockers, ...whyNoLongerBuildable(triggered, snapshot)];
  if (refused.length > 0) return { refused };
  const solution = solveWith(job, triggered, { choice, snapshot });
  if (!('versions' in solution)) return solution;
  return { set: { ...solution, cause: { kind: 'manual', request: id, by } } };
}

/** The newest set in which a get with `trigger` and `passed` takes the version. */
function solveWith(
  { gets }: JobFacts,
  { resource, version }: ResourceVersion,
  { choice, snapshot }: { choice: ChosenSet; snapshot: Snapshot },
): { versions: number[] } | { waits: true } | { needs: NeededPage[] } {
  const takesVersion = ({ get }: JobGet): boolean => get.trigger && get.resource === resource;
  const group = passedGroups(gets).find((members) => members.some(takesVersion));
  const taker = group?.find(takesVersion);
  if (group === undefined || taker === undefined) return { waits: true };
  const solution = solveGroup(group, snapshot, { position: taker.position, version });
  if ('needs' in solution) return solution;
  if (!('versions' in solution)) return { waits: true };
  const chosen = [...choice.versions];
  for (const [index, { position }] of group.entries()) chosen[position] = solution.versions[index];
  const versions = chosen.flatMap((chosenVersion) => chosenVersion ?? []);
  return versions.length < gets.length ? { waits: true } : { versions };
}

/**
 * Why the triggered version can no longer be built: people have since disabled it, or pinned its resource to
 * another version. Empty: it can be built.
 */
function whyNoLongerBuildable(
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
