import { automaticSets, type AutomaticSets, type VersionSet } from './automatic-sets.ts';
import { cascadedSets } from './cascade.ts';
import { chooseSet, type ChosenSet } from './choose-set.ts';
import {
  MAX_BUILDS_PER_DECISION,
  MAX_VERSIONS_PER_DECISION,
  type BuildDecision,
  type DecidedBuilds,
} from './decision.ts';
import type { Facts, JobFacts } from './facts.ts';
import { ignoreHolds, withoutHeld } from './held-versions.ts';
import { mergeSets } from './merge-sets.ts';
import { MAX_QUEUED_BUILDS, whyQueuePaused } from './queue-limits.ts';
import type { Reason } from './reasons.ts';
import { requestedSets } from './requested-sets.ts';
import { settledVersions } from './settled-versions.ts';
import { snapshotOf, type Snapshot } from './snapshot.ts';
import { usedVersionsIn, type UsedVersions } from './used-versions.ts';
import { blockersOf, whyIdle } from './why-no-build.ts';
import { withAutomaticInputs } from './why-not-inputs.ts';

/**
 * The scheduler: which builds to create now, with which versions, and why a job gets no automatic build.
 *
 * Each job is decided in five steps:
 *
 * 1. Choose the newest set: the newest versions that its gets may take together. If two inputs share an
 *    upstream job, both come from the same good build of that job.
 * 2. Automatic builds. A trigger that takes every version gets a build for each version that no build used,
 *    even while other builds run. All other triggers together get one build, of the newest set, if at least
 *    one of the versions that they take in it is unused. That build supersedes a queued one, or waits while
 *    as many automatic builds of the job are open as its concurrency allows. In an interruptible job it does
 *    not wait.
 * 3. Cascaded builds. A version that a person triggered upstream is built once it has passed all jobs of
 *    `passed`, with the newest versions that fit.
 * 4. Requested builds: what a person triggers is built, or refused with every reason, such as a pause, a full
 *    queue, or inputs that are missing or invalid.
 * 5. Merge the three. The first request for a set that is built anyway is answered by that build.
 *
 * The function is pure and reads a bounded part of the history. If a job needs an older page of the history,
 * nothing is decided for the job, and `needs` names the page. The caller gathers the page and decides again.
 */
export function decideBuilds(facts: Facts): DecidedBuilds {
  const context = contextOf(facts);
  const decisions: Partial<DecidedBuilds>[] = [];
  let budget: Budget = {
    builds: MAX_BUILDS_PER_DECISION,
    inputs: MAX_VERSIONS_PER_DECISION,
    queued: facts.queued ?? 0,
    requests: facts.jobs.reduce((sum, job) => sum + requestCount(job), 0),
  };
  for (const job of facts.jobs.toSorted((a, b) => a.id - b.id)) {
    const decided = decideJob(withoutHeld(job, context.snapshot), context, budget);
    decisions.push(decided.decision);
    budget = decided.budget;
  }
  return combine(decisions);
}

/** What the decisions on all jobs share. */
interface Context {
  facts: Facts;
  /** For automatic and cascaded builds: without the versions whose hooks are running. */
  snapshot: Snapshot;
  /** For requests of people that do not cascade: also with the versions whose hooks are running. */
  snapshotForPeople: Snapshot;
  used: UsedVersions;
}

function contextOf(facts: Facts): Context {
  const snapshot = snapshotOf(facts);
  const factsForPeople = ignoreHolds(facts);
  return {
    facts,
    snapshot,
    snapshotForPeople: factsForPeople === facts ? snapshot : snapshotOf(factsForPeople),
    used: usedVersionsIn(facts.used, snapshot.exhausted),
  };
}

/** Requests of people that do not cascade. */
const requestCount = ({ requests }: JobFacts): number =>
  requests.filter(({ after }) => after === undefined).length;

/** What is left for the jobs that are not decided yet. */
interface Budget {
  /** Automatic builds. */
  builds: number;
  /** Inputs of all automatic builds in total. */
  inputs: number;
  /** Builds of the pipeline that have not started, including those of this decision. */
  queued: number;
  /** Requests of people, for which automatic and cascaded builds leave room in the queue. */
  requests: number;
}

function decideJob(
  job: JobFacts,
  context: Context,
  budget: Budget,
): { decision: Partial<DecidedBuilds>; budget: Budget } {
  if (budget.builds === 0 && job.requests.length === 0) return { decision: { unfinished: [job.id] }, budget };
  const choice = chooseSet(job, context.snapshot);
  const choiceForPeople = chooseForPeople(job, choice, context);
  const requested = requestedSets(job, choiceForPeople, { ...context, queued: budget.queued });
  const room = roomInQueue(context.facts, budget);
  const cascaded = cascadedSets(job, choice, { ...context, room });
  const automatic = decideAutomatic(job, choice, context, {
    ...budget,
    room: room - cascaded.sets.length,
    isCascadeWaiting: cascaded.truncated,
  });
  // Both choices are usually the same object, so a Set drops pages that are listed twice.
  const needs = [
    ...new Set([...choice.needs, ...choiceForPeople.needs]),
    ...automatic.needs,
    ...cascaded.needs,
  ];
  if (needs.length > 0) return { decision: { needs }, budget };
  const sets = mergeSets(job, automatic.sets, [...requested.sets, ...cascaded.sets]);
  const builds = buildsOf(job, sets);
  const decision = {
    builds,
    refused: [...requested.refused, ...cascaded.refused],
    waiting: automatic.waiting,
    settled: automatic.settled,
    unfinished: automatic.truncated || automatic.hasMoreVersions || cascaded.truncated ? [job.id] : [],
  };
  return { decision, budget: reduceBudget(budget, { job, automatic, builds }) };
}

/** Requests of people that do not cascade may also take versions whose hooks are running. */
function chooseForPeople(
  job: JobFacts,
  choice: ChosenSet,
  { snapshot, snapshotForPeople }: Context,
): ChosenSet {
  if (snapshot === snapshotForPeople || job.requests.length === 0) return choice;
  return chooseSet(job, snapshotForPeople);
}

/** How many automatic and cascaded builds the queue still takes. None while too many builds are queued. */
function roomInQueue({ queued = 0 }: Facts, budget: Budget): number {
  if (whyQueuePaused(queued).length > 0) return 0;
  return MAX_QUEUED_BUILDS - budget.queued - budget.requests;
}

interface AutomaticBudget extends Pick<Budget, 'builds' | 'inputs'> {
  /** How many builds the queue still takes. */
  room: number;
  /** A cascaded build of the job waits for room in the queue. */
  isCascadeWaiting: boolean;
}

interface AutomaticDecision extends AutomaticSets, Pick<DecidedBuilds, 'waiting' | 'settled'> {}

/**
 * The automatic sets of a job, or why it gets none, and up to which versions its gets are settled afterwards.
 */
function decideAutomatic(
  job: JobFacts,
  choice: ChosenSet,
  context: Context,
  budget: AutomaticBudget,
): AutomaticDecision {
  const { facts, snapshot } = context;
  const blockers = blockersOf(job, { paused: facts.paused, choice });
  if (blockers.length > 0 || choice.needs.length > 0)
    return { ...NO_SETS, settled: [], waiting: waitingFor(job, blockers) };
  const automatic = automaticSets(job, choice, { ...context, limit: automaticLimit(job, budget) });
  const settled = automatic.truncated ? [] : settledVersions(job, { automatic, choice }, snapshot);
  if (automatic.sets.length > 0) return { ...automatic, settled, waiting: [] };
  const reasons =
    automatic.truncated || budget.isCascadeWaiting
      ? whyQueuePaused(facts.queued ?? 0)
      : whyIdle(job, { snapshot, choice, isDue: automatic.isNewestDue });
  return { ...automatic, settled, waiting: waitingFor(job, reasons) };
}

const NO_SETS: AutomaticSets = {
  sets: [],
  truncated: false,
  hasMoreVersions: false,
  postponed: [],
  isNewestDue: false,
  needs: [],
};

function waitingFor({ id }: JobFacts, reasons: Reason[]): DecidedBuilds['waiting'] {
  return reasons.length === 0 ? [] : [{ job: id, reasons }];
}

/**
 * How many automatic builds the job may get now. Until a job of the decision has got one, the limit for
 * inputs allows at least one, however many inputs the job has.
 */
function automaticLimit({ gets }: JobFacts, { builds, inputs, room }: AutomaticBudget): number {
  if (builds === 0) return 0;
  const byInputs = Math.floor(inputs / Math.max(1, gets.length));
  const atLeast = builds === MAX_BUILDS_PER_DECISION ? 1 : 0;
  return Math.max(0, Math.min(builds, room, Math.max(atLeast, byInputs)));
}

/** The builds of a job, oldest first. */
function buildsOf(job: JobFacts, sets: readonly VersionSet[]): BuildDecision[] {
  const state = job.approval === true ? 'waiting' : 'pending';
  const automatic = withAutomaticInputs(job);
  return sets.map((set) => ({ job: job.id, ...automatic, ...set, state }));
}

function reduceBudget(
  budget: Budget,
  { job, automatic, builds }: { job: JobFacts; automatic: AutomaticSets; builds: readonly BuildDecision[] },
): Budget {
  // In an interruptible job, builds interrupt older ones of the same pull request or branch. Which ones is
  // not known yet, so all count.
  const queueChanges = builds.map(({ supersedes = [] }) => 1 - supersedes.length);
  return {
    builds: budget.builds - automatic.sets.length,
    inputs: budget.inputs - automatic.sets.length * job.gets.length,
    queued: queueChanges.reduce((sum, change) => sum + change, budget.queued),
    requests: budget.requests - requestCount(job),
  };
}

function combine(decisions: readonly Partial<DecidedBuilds>[]): DecidedBuilds {
  return {
    builds: decisions.flatMap(({ builds = [] }) => builds),
    waiting: decisions.flatMap(({ waiting = [] }) => waiting),
    refused: decisions.flatMap(({ refused = [] }) => refused),
    settled: decisions.flatMap(({ settled = [] }) => settled),
    unfinished: decisions.flatMap(({ unfinished = [] }) => unfinished),
    needs: decisions.flatMap(({ needs = [] }) => needs),
  };
}
