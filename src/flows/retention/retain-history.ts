import { retainSomeBuilds } from './retain-builds.ts';
import { retainSomeVersions } from './retain-versions.ts';
import type { RetentionStore, RetentionTransaction } from './retention-ports.ts';

/** Number of removed rows, by kind. */
export interface RowsRemoved {
  builds: number;
  /** Logs of builds that stay. */
  logs: number;
  versions: number;
  /** Ended check runs, requests for builds that led to no build, and unreferenced revisions. */
  records: number;
}

interface Ports {
  retention: RetentionStore;
  /** Monotonic milliseconds. */
  elapsed: () => number;
}

/** Time limit of one call, so that other work of the operator does not wait long. */
const MAX_CALL_MS = 2000;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** How often each job and each resource has its turn. */
const TURN_INTERVAL_MS = 6 * HOUR_MS;
/** Age at which ended check runs and refused requests are removed. */
const RECORD_AGE_MS = 7 * DAY_MS;
/** Age at which a request that a cascade made for a downstream job is removed if it still has no build. */
const WAITING_REQUEST_AGE_MS = 30 * DAY_MS;

/**
 * Removes old history for a limited time. `more`: call again. The time comes from the database, because a
 * wrong clock of the operator would remove history that is still young.
 */
export async function retainHistory({
  retention,
  elapsed,
}: Ports): Promise<{ removed: RowsRemoved; more: boolean }> {
  const removed: RowsRemoved = { builds: 0, logs: 0, versions: 0, records: 0 };
  const startedAt = elapsed();
  while (elapsed() - startedAt < MAX_CALL_MS) {
    const batch = await retainNext(retention, await retention.now());
    if (batch === undefined) return { removed, more: false };
    removed.builds += batch.builds;
    removed.logs += batch.logs;
    removed.versions += batch.versions;
    removed.records += batch.records;
  }
  return { removed, more: true };
}

/**
 * Begins or continues the turn of one job or resource: of its oldest history, removes a part of what the
 * team's retention does not keep. If all jobs and resources have had their turn, removes old records. Safe to
 * repeat and to run concurrently. Undefined: nothing is left to do.
 */
export async function retainNext(retention: RetentionStore, at: Date): Promise<RowsRemoved | undefined> {
  const since = before(at, TURN_INTERVAL_MS);
  return await retention.withHistory(
    async (tx) =>
      (await retainSomeBuilds(tx, since, at)) ??
      (await retainSomeVersions(tx, since, at)) ??
      (await removeRecords(tx, at)),
  );
}

async function removeRecords(tx: RetentionTransaction, at: Date): Promise<RowsRemoved | undefined> {
  const ended = before(at, RECORD_AGE_MS);
  const records = await tx.removeRecords({
    checkRuns: ended,
    refusedRequests: ended,
    waitingRequests: before(at, WAITING_REQUEST_AGE_MS),
  });
  return records === 0 ? undefined : { builds: 0, logs: 0, versions: 0, records };
}

function before(at: Date, milliseconds: number): Date {
  return new Date(at.getTime() - milliseconds);
}
