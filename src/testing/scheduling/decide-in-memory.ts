import { decideBuilds } from '#domain/scheduling/decide-builds.ts';
import type { DecidedBuilds, Decision } from '#domain/scheduling/decision.ts';
import type { Facts } from '#domain/scheduling/facts.ts';
import { interruptOlder } from '#domain/scheduling/interrupt-older.ts';
import { withRowIds } from '#domain/scheduling/version-ids.ts';
import { gatherFacts, gatherMore } from './gather-facts.ts';
import { jobOf, type History, type HistoryBuild } from './history.ts';
import { interruptFactsOf } from './version-label.ts';

/** Decides like a store: gathers missing facts and decides again until none are missing. */
export function decideFromHistory(
  history: History,
  { jobs = history.jobs.map(({ id }) => id), rows = 20 }: { jobs?: number[]; rows?: number } = {},
): Decision {
  let facts = gatherFacts(history, jobs, rows);
  for (;;) {
    const decision = decideBuilds(facts);
    if (decision.needs.length === 0) return readyToWrite(history, facts, decision);
    facts = gatherMore(history, facts, { needs: decision.needs, rows });
  }
}

/** The decision with row ids of versions instead of their places, and with the builds that it interrupts. */
export function readyToWrite(history: History, facts: Facts, decision: DecidedBuilds): Decision {
  return interruptOlder(withRowIds(decision, facts.ids ?? new Map()), facts.jobs, interruptFactsOf(history));
}

/** Applies a decision to the history; returns the new builds. */
export function applyDecision(history: History, decision: Decision): HistoryBuild[] {
  for (const build of history.builds) if (decision.interrupted.includes(build.id)) build.status = 'cancelled';
  for (const { job, get, version } of decision.settled) {
    const settledGet = jobOf(history, job).gets[get];
    if (settledGet !== undefined) settledGet.settled = Math.max(settledGet.settled, version);
  }
  const superseded = new Set(decision.builds.flatMap(({ supersedes = [] }) => supersedes));
  for (const build of history.builds) if (superseded.has(build.id)) build.status = 'cancelled';
  const answered = new Set(decision.refused.map(({ request }) => request));
  const newBuilds = decision.builds.map(({ job, versions, cause, state }): HistoryBuild => {
    if (cause.kind === 'manual') answered.add(cause.request);
    const build: HistoryBuild = {
      id: nextBuild(history),
      job,
      number: String(nextNumber(history, job)),
      status: state === 'superseded' ? 'cancelled' : state,
      inputs: versions.map((version, index) => ({
        resource: jobOf(history, job).gets[index]?.resource ?? 0,
        version,
      })),
      outputs: [],
      sources: Object.fromEntries(history.resources.map(({ name, source = '' }) => [name, source])),
      cause,
      approved: false,
      votes: [],
    };
    history.builds.push(build);
    return build;
  });
  for (const job of history.jobs) job.requests = job.requests.filter(({ id }) => !answered.has(id));
  return newBuilds;
}

export function nextBuild(history: History): number {
  return Math.max(0, ...history.builds.map(({ id }) => id)) + 1;
}

function nextNumber(history: History, job: number): number {
  const buildsOfJob = history.builds.filter((build) => build.job === job);
  return Math.max(0, ...buildsOfJob.map(({ number }) => Math.floor(Number(number.split('.')[0])))) + 1;
}
