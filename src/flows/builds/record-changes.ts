import type { EventsApplied } from '#domain/build/build-state.ts';
import { endStatus, isGood } from '#domain/scheduling/build-changes.ts';
import type { BuildTransaction, StoredAttempt } from './build-transaction.ts';

/** Writes what changed in an attempt. A failure is a warning if the job allows failures. */
export async function recordChanges(
  tx: BuildTransaction,
  stored: StoredAttempt,
  { end, ...changes }: EventsApplied,
  { byAgent }: { byAgent: boolean },
): Promise<void> {
  const status = end && endStatus(end.outcome, stored);
  await tx.record(stored, {
    ...changes,
    ...(end && status && { end: { ...end, status, good: isGood(status), byAgent } }),
  });
}
