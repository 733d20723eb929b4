import { retainSomeBuilds } from './retain-builds.ts';
import { retainSomeVersions } from './retain-versions.ts';
import type { RetentionStore, RetentionTransaction } from './retention-ports.ts';

/** What went, by kind. */
export interface Removed {
  builds: number;
  /** Builds that stay, whose logs went. */
  logs: number;
  versions: number;
  /** Ends of check runs and of requests that were refused, and definitions that nothing names any more. */
  records: number;
}

interface Ports {
  retention: RetentionStore;
  now: () => Date;
  /** Milliseconds of a clock that only goes on. */
  elapsed: () => number;
}

/** So that nothing else of the operator waits for it: the rest has its turn a moment later. */
const LONGEST_MS = 2000;
const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
/** Each job and each resource has its turn this often. */
const EVERY_MS = 6 * HOUR_MS;
/** What only tells of a check that has ended, or of a request that was refused. */
const RECORDS_MS = 7 * DAY_MS;
/** A request that follows a triggered version, when no build upstream has succeeded. */
const WAITING_REQUESTS_MS = 30 * DAY_MS;

export async function retainHistory({
  retention,
  now,
  elapsed,
}: Ports): Promise<{ removed: Removed; more: boolean }> {
  const removed: Removed = { builds: 0, logs: 0, versions: 0, records: 0 };
  const begun = elapsed();
  while (elapsed() - begun < LONGEST_MS) {
    const some = await retainNext(retention, now());
    if (some === undefined) return { removed, more: false };
    removed.builds += some.builds;
    removed.logs += some.logs;
    removed.versions += some.versions;
    removed.records += some.records;
  }
  return { removed, more: true };
}

/**
 * Looks at some of the oldest history whose turn it is, and removes what the team's retention does not keep.
 * Whoever is killed in it, or comes second, finds the same or nothing to do. Undefined: it is nobody's turn.
 */
export async function retainNext(retention: RetentionStore, at: Date): Promise<Removed | undefined> {
  const since = before(at, EVERY_MS);
  return await retention.withHistory(
    async (tx) =>
      (await retainSomeBuilds(tx, since, at)) ??
      (await retainSomeVersions(tx, since, at)) ??
      (await removeRecords(tx, at)),
  );
}

async function removeRecords(tx: RetentionTransaction, at: Date): Promise<Removed | undefined> {
  const ended = before(at, RECORDS_MS);
  const records = await tx.removeRecords({
    checkRuns: ended,
    refusedRequests: ended,
    waitingRequests: before(at, WAITING_REQUESTS_MS),
  });
  return records === 0 ? undefined : { builds: 0, logs: 0, versions: 0, records };
}

function before(at: Date, milliseconds: number): Date {
  return new Date(at.getTime() - milliseconds);
}
