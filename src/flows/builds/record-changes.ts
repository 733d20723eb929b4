import type { EventsApplied } from '#domain/build/build-state.ts';
import { endStatus, isGood } from '#domain/scheduling/build-changes.ts';
import type { BuildTransaction, StoredAttempt } from './build-transaction.ts';

/**
 * Writes what changed in an attempt. If the job allows failures, a failed build ends with a warning.
 * `byAgent`: see `AttemptChanges`.
 */
export async function recordChanges(
  tx: BuildTransaction,
  stored: StoredAttempt,
  { end, ...changes }: EventsApplied,
  { byAgent }: { byAgent: boolean },
): Promise<void> {
  if (end === undefined) return await tx.record(stored, changes);
  const status = endStatus(end.outcome, stored);
  await tx.record(stored, { ...changes, end: { ...end, status, good: isGood(status), byAgent } });
}
