import { decideBuilds } from '#domain/scheduling/decide-builds.ts';
import type { DecidedBuilds, Decision } from '#domain/scheduling/decision.ts';
import { PAGE_ROWS, type Facts } from '#domain/scheduling/facts.ts';
import { interruptingBuilds, interruptOlder } from '#domain/scheduling/interrupt-older.ts';
import { startsAtOnce } from '#domain/scheduling/start-queued.ts';
import { withRowIds } from '#domain/scheduling/version-ids.ts';
import type {
  DecisionWritten,
  FactsTransaction,
  GatheredFacts,
  Pages,
  PipelineTransaction,
} from './schedule-ports.ts';

export interface DecisionWithFacts {
  /** The facts of the decision, with all pages that it needed. */
  facts: GatheredFacts;
  /** The decision. It names versions by their row ids, not by their places. */
  decision: DecidedBuilds;
}

interface DecisionOptions {
  decide?: (facts: Facts) => DecidedBuilds;
  /** Rows of the newest page, then of each older page. One entry for each page. */
  pageRows?: readonly [number, ...number[]];
}

/**
 * Decides on the newest page of each get's history, then again with each older page that the decision needs.
 * `pageRows` bounds the number of pages: after the last one, the decision must do without older rows.
 */
export async function decideWithPages(
  tx: FactsTransaction,
  { decide = decideBuilds, pageRows = PAGE_ROWS }: DecisionOptions = {},
): Promise<DecisionWithFacts> {
  const [newestRows, ...olderRows] = pageRows;
  let facts = await tx.facts(newestRows);
  let decision = decide(facts);
  for (const rows of olderRows) {
    if (decision.needs.length === 0) break;
    facts = withPages(facts, await tx.older(decision.needs, rows));
    decision = decide(facts);
  }
  if (decision.needs.length > 0) {
    facts = { ...facts, exhausted: true };
    decision = decide(facts);
  }
  return { facts, decision: withRowIds(decision, facts.ids) };
}

function withPages(facts: GatheredFacts, { passes, used, ids }: Pages): GatheredFacts {
  return {
    ...facts,
    passes: [...facts.passes, ...passes],
    used: [...facts.used, ...used],
    ids: new Map([...facts.ids, ...ids]),
  };
}

/** Decides which builds the jobs of the transaction need, and writes the decision. */
export async function decideAndWrite(
  tx: PipelineTransaction,
  at: Date,
  options?: DecisionOptions,
): Promise<DecisionWithFacts & { written: DecisionWritten }> {
  const { facts, decision: decided } = await decideWithPages(tx, options);
  const decision = await withInterrupted(tx, facts, decided);
  const jobsThatStartAtOnce = [...facts.turnConstraints]
    .filter(([, limits]) => startsAtOnce(limits))
    .map(([job]) => job);
  const written = await tx.write(decision, { startAtOnce: new Set(jobsThatStartAtOnce), at });
  return { facts, decision, written };
}

/** Adds the older builds that new builds of interruptible jobs interrupt. */
async function withInterrupted(
  tx: PipelineTransaction,
  { jobs }: GatheredFacts,
  decision: DecidedBuilds,
): Promise<Decision> {
  const interrupting = interruptingBuilds(jobs, decision.builds);
  if (interrupting.jobs.length === 0) return { ...decision, interrupted: [] };
  return interruptOlder(decision, jobs, await tx.interruptFacts(interrupting));
}
