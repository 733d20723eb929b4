import {
  isRestRetained,
  retainBuilds,
  retentionOf,
  type RetainDecision,
  type RetainFacts,
} from '#domain/retention/decide-retention.ts';
import { buildsNeededDownstream } from '#domain/scheduling/needed-downstream.ts';
import { decideWithPages } from '#flows/builds/decide-with-pages.ts';
import type { RowsRemoved } from './retain-history.ts';
import type { RetentionTransaction, RetentionTurn } from './retention-ports.ts';

/** Builds per transaction. */
const MAX_BUILDS = 100;
/** Age at which retention removes replaced revisions: a process may still use one that it read as current. */
const REPLACED_REVISION_AGE_MS = 7 * 24 * 60 * 60 * 1000;

/**
 * Applies retention to some of the oldest builds of the job that waited longest. When the turn of the job
 * ends, also removes old revisions of its pipeline. Undefined: all jobs had their turn after `since`.
 */
export async function retainSomeBuilds(
  tx: RetentionTransaction,
  since: Date,
  at: Date,
): Promise<RowsRemoved | undefined> {
  const turn = await tx.nextTurn('jobs', since);
  if (turn === undefined) return undefined;
  const policy = retentionOf(turn.policy);
  const old = await tx.oldBuilds(turn, MAX_BUILDS, policy);
  const facts = { ...old, policy, now: at.getTime(), neededDownstream: new Set<number>() };
  const decision = await decideRemoval(tx, turn, facts);
  await tx.removeBuilds(turn, decision, old.builds);
  const newestSeen = old.builds.at(-1)?.id;
  const isOver = old.builds.length < MAX_BUILDS || isRestRetained(newestSeen, decision);
  await tx.leaveTurn(turn, isOver ? undefined : newestSeen, at);
  const replacedBefore = new Date(at.getTime() - REPLACED_REVISION_AGE_MS);
  const records = isOver ? await tx.removeOldRevisions(turn.pipeline, replacedBefore) : 0;
  return { builds: decision.remove.length, logs: decision.removeLogs.length, versions: 0, records };
}

/** Reads what downstream jobs need only if a build would be removed. */
async function decideRemoval(
  tx: RetentionTransaction,
  turn: RetentionTurn,
  facts: RetainFacts,
): Promise<RetainDecision> {
  const first = retainBuilds(facts);
  if (first.remove.length === 0) return first;
  const downstream = await tx.downstreamFacts(turn);
  if (downstream === undefined) return first;
  const { facts: downstreamFacts } = await decideWithPages(downstream);
  return retainBuilds({ ...facts, neededDownstream: new Set(buildsNeededDownstream(downstreamFacts)) });
}
