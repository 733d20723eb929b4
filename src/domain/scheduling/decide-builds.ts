import { automaticSets, unusedOf, type AutomaticSets, type VersionSet } from './automatic-sets.ts';
import { cascadedSet } from './cascade.ts';
import { chooseSet, know, type Choice, type Known } from './choose-set.ts';
import {
  MAX_BUILDS_PER_DECISION,
  MAX_INPUTS_PER_DECISION,
  type BuildDecision,
  type Decision,
} from './decision.ts';
import type { BuildRequest, Facts, GetFacts, JobFacts, Need } from './facts.ts';
import { withoutHeld, withoutHolds } from './held-versions.ts';
import { knownUsed, type KnownUsed } from './used-versions.ts';
import { whyQueueFull, whyQueuePaused } from './queue-limits.ts';
import type { Reason } from './reasons.ts';
import { hindrances, whyIdle, whyNotVersion } from './why-no-build.ts';
import { whyNotChecked } from './why-not-checked.ts';

/**
 * Which builds to make now, with which versions, and why nothing else.
 *
 * - Triggers that take every version get a build for each, also while others run; all other triggers together get one for the newest
 *   set that is ready, if a trigger of it was never used. It takes the place of such a build that has not begun, and waits while as many
 *   run as the job's concurrency says, or one.
 * - Inputs that share an upstream job come from the same good build of it.
 * - What a person asks for is always built when its inputs are there, and refused with every reason when not.
 */
export function decideBuilds(facts: Facts): Decision {
  const decision: Decision = {
    builds: [],
    interrupted: [],
    waiting: [],
    refused: [],
    settled: [],
    unfinished: [],
    needs: [],
  };
  const known = know(facts);
  const free = withoutHolds(facts);
  const context: Context = {
    facts,
    known,
    knownToPeople: free === facts ? known : know(free),
    used: knownUsed(facts.used, known.exhausted),
    decision,
    queued: facts.queued ?? 0,
    left: { builds: MAX_BUILDS_PER_DECISION, inputs: MAX_INPUTS_PER_DECISION },
  };
  for (const job of facts.jobs.toSorted((a, b) => a.id - b.id)) decideJob(withoutHeld(job, known), context);
  return decision;
}

interface Context {
  facts: Facts;
  known: Known;
  /** The same with the versions whose hooks run. */
  knownToPeople: Known;
  used: KnownUsed;
  decision: Decision;
  /** Builds that have not started, with those that this decision makes. */
  queued: number;
  /** What this decision may still make by itself. */
  left: { builds: number; inputs: number };
}

function decideJob(job: JobFacts, context: Context): void {
  const { facts, known, knownToPeople, used, decision } = context;
  const room = roomFor(job, context);
  if (context.left.builds === 0 && job.requests.length === 0) {
    decision.unfinished.push(job.id);
    return;
  }
  const choice = chooseSet(job, known);
  const wide = known === knownToPeople || job.requests.length === 0;
  const choiceOfPeople = wide ? choice : chooseSet(job, knownToPeople);
  const hindered = hindrances(job, { paused: facts.paused, choice });
  const complete = hindered.length === 0 && choice.needs.length === 0;
  const automatic = complete ? automaticSets(job, choice, { known, used, room }) : NO_SETS;
  const paused = hindrances(job, { paused: facts.paused });
  const cascaded = cascadedSets(job, { choice, paused, known });
  const needs = [
    ...new Set([...choice.needs, ...choiceOfPeople.needs]),
    ...automatic.needs,
    ...cascaded.needs,
  ];
  if (needs.length > 0) {
    decision.needs.push(...needs);
    return;
  }
  const asked = requestedSets(job, choiceOfPeople, context);
  decision.refused.push(...asked.refused, ...cascaded.refused);
  addBuilds(job, merged(job, automatic.sets, [...asked.sets, ...cascaded.sets]), context);
  note(job, { automatic, hindered, choice }, context);
}

/** What is said about a job beside its builds: whether it is done with, and why it gets none. */
function note(
  job: JobFacts,
  { automatic, hindered, choice }: { automatic: AutomaticSets; hindered: Reason[]; choice: Choice },
  context: Context,
): void {
  const { facts, known, decision, left } = context;
  const { sets, cut, ready } = automatic;
  left.builds -= sets.length;
  left.inputs -= sets.length * job.gets.length;
  if (cut) decision.unfinished.push(job.id);
  else if (hindered.length === 0) noteSettled(job, { automatic, choice }, context);
  if (sets.length > 0) return;
  const stands = cut ? whyQueuePaused(facts.queued ?? 0) : hindered;
  const reasons = cut || stands.length > 0 ? stands : whyIdle(job, { known, choice, ready });
  if (reasons.length > 0) decision.waiting.push({ job: job.id, reasons });
}

const NO_SETS: AutomaticSets = {
  sets: [],
  cut: false,
  more: false,
  postponed: [],
  ready: false,
  needs: [],
};

/** How many builds of the job this decision may make by itself. */
function roomFor({ gets }: JobFacts, { facts, left }: Context): number {
  if (left.builds === 0 || whyQueuePaused(facts.queued ?? 0).length > 0) return 0;
  const byInputs = Math.floor(left.inputs / Math.max(1, gets.length));
  const first = left.builds === MAX_BUILDS_PER_DECISION ? 1 : 0;
  return Math.min(left.builds, Math.max(first, byInputs));
}

interface Asked {
  sets: VersionSet[];
  refused: Decision['refused'];
}

/** Oldest request first; those that wait for checks are left for later. */
function requestedSets(job: JobFacts, choice: Choice, { facts, known, queued }: Context): Asked {
  const paused = hindrances(job, { paused: facts.paused });
  const asked: Asked = { sets: [], refused: [] };
  for (const request of job.requests.toSorted((a, b) => a.id - b.id)) {
    if (request.after !== undefined) continue;
    const stopped = [...paused, ...whyQueueFull(queued + asked.sets.length)];
    if (request.checking === true && stopped.length === 0) continue;
    const given = givenVersions(job, request);
    const reasons = [
      ...stopped,
      ...whyNotVersion(job, request, { taking: given.size, known }),
      ...choice.missing.filter(({ get }) => !given.has(get)).map(({ reason }) => reason),
    ];
    const versions = choice.versions.flatMap((version, index) => given.get(index) ?? version ?? []);
    const { id, by, checking, checks = [] } = request;
    const unchecked = checking === true ? [] : whyNotChecked(checks);
    if (reasons.length > 0) asked.refused.push({ request: id, reasons: [...reasons, ...unchecked] });
    else
      asked.sets.push({
        versions,
        cause: { kind: 'manual', request: id, by, ...(checks.length > 0 && { checks }) },
      });
  }
  return asked;
}

/** Builds that follow from triggered versions, oldest first. */
function cascadedSets(
  job: JobFacts,
  context: { choice: Choice; paused: Reason[]; known: Known },
): Asked & { needs: Need[] } {
  const asked: Asked & { needs: Need[] } = { sets: [], refused: [], needs: [] };
  for (const request of job.requests.toSorted((a, b) => a.id - b.id)) {
    if (request.after === undefined) continue;
    const answer = cascadedSet(job, request, context);
    if ('set' in answer) asked.sets.push(answer.set);
    if ('refused' in answer) asked.refused.push({ request: request.id, reasons: answer.refused });
    if ('needs' in answer) asked.needs.push(...answer.needs);
  }
  return asked;
}

/**
 * A version that was asked for is taken by every get of its resource without `passed`, whatever is pinned.
 */
function givenVersions(job: JobFacts, { version: given }: BuildRequest): Map<number, number> {
  const positions = new Map<number, number>();
  for (const [index, get] of job.gets.entries())
    if (given !== undefined && get.resource === given.resource && get.passed.length === 0)
      positions.set(index, given.version);
  return positions;
}

/**
 * A request for a set that is being built by itself is answered by that build, which then is the person's. In
 * an interruptible job it goes last: versions that were known when somebody asked do not interrupt it.
 */
function merged(job: JobFacts, automatic: VersionSet[], asked: VersionSet[]): VersionSet[] {
  if (asked.length === 0) return automatic;
  if (job.interruptible === true) {
    const taken = new Set(asked.map(({ versions }) => String(versions)));
    return [...automatic.filter(({ versions }) => !taken.has(String(versions))), ...asked];
  }
  const sets = [...automatic];
  const places = new Map(automatic.map(({ versions }, index) => [String(versions), index]));
  for (const one of asked) {
    const same = places.get(String(one.versions));
    if (same === undefined) sets.push(one);
    else sets[same] = { ...sets[same], ...one };
    places.delete(String(one.versions));
  }
  return sets;
}

function addBuilds(job: JobFacts, sets: VersionSet[], context: Context): void {
  const { decision } = context;
  if (sets.length === 0) return;
  if (job.interruptible) decision.interrupted.push(job.id);
  const alive: BuildDecision['state'] = job.approval ? 'waiting' : 'pending';
  for (const [index, set] of sets.entries()) {
    const superseded = job.interruptible === true && index < sets.length - 1;
    decision.builds.push({ job: job.id, ...set, state: superseded ? 'superseded' : alive });
    if (!superseded) context.queued += 1 - (set.supersedes?.length ?? 0);
  }
}

/**
 * Not noted: versions of a get with `passed`, since older ones may pass after newer ones, and of a pinned
 * resource, whose others wait.
 */
function noteSettled(
  job: JobFacts,
  { automatic, choice }: { automatic: AutomaticSets; choice: Choice },
  { known, decision }: Context,
): void {
  if (automatic.more) decision.unfinished.push(job.id);
  for (const [index, get] of job.gets.entries()) {
    if (!get.trigger || !get.every || get.passed.length > 0 || known.resource(get.resource).pinned) continue;
    const version = settledUpTo(
      get,
      automatic.postponed.includes(index) ? choice.versions[index] : undefined,
      known,
    );
    if (version !== undefined) decision.settled.push({ job: job.id, get: index, version });
  }
}

/** Row id; of what is postponed nothing is settled, nor of what was found after it. */
function settledUpTo(get: GetFacts, postponed: number | undefined, known: Known): number | undefined {
  const taken = unusedOf(get, known);
  const end = postponed === undefined || !taken.includes(postponed) ? Infinity : known.idOf(postponed);
  const settled = taken.map((version) => known.idOf(version)).filter((id) => id < end);
  return settled.length === 0 ? undefined : Math.max(...settled);
}
