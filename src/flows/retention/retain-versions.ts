import { areAllYoung, removableVersions, retentionOf } from '#domain/retention/decide-retention.ts';
import type { RowsRemoved } from './retain-history.ts';
import type { RetentionTransaction } from './retention-ports.ts';

/** Versions per transaction. */
const MAX_VERSIONS = 500;

/**
 * Applies retention to some of the oldest versions of the resource that waited longest. Undefined: all
 * resources had their turn after `since`.
 */
export async function retainSomeVersions(
  tx: RetentionTransaction,
  since: Date,
  at: Date,
): Promise<RowsRemoved | undefined> {
  const turn = await tx.nextTurn('resources', since);
  if (turn === undefined) return undefined;
  const old = await tx.oldVersions(turn, MAX_VERSIONS);
  const facts = { ...old, policy: retentionOf(turn.policy), now: at.getTime() };
  const forgotten = removableVersions(facts);
  if (forgotten.length > 0) await tx.forgetVersions(forgotten);
  const isOver = old.versions.length < MAX_VERSIONS || areAllYoung(facts);
  await tx.leaveTurn(turn, isOver ? undefined : old.versions.at(-1)?.id, at);
  return { builds: 0, logs: 0, versions: forgotten.length, records: 0 };
}
