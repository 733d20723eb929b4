import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { rows, timestamp, type Database, type Transaction } from '#adapters/database/connection/pool.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import type { AttemptToClose, BuildTransaction, StoredAttempt } from '#flows/builds/build-transaction.ts';
import { readState, upsertSteps } from './build-steps.ts';
import { lockForEnd, writeChanges } from './write-changes.ts';

interface BuildToLock {
  build: number;
  /** `work` may end the build or record a put, so the pipeline is locked before the build's row. */
  mayDecide: boolean;
}

/**
 * Most batches of events take four round trips: begin, read, write, commit. A batch with a put or the end of
 * the build takes more.
 */
export async function withBuild<T>(
  database: Database & { definitions: Definitions },
  { build, mayDecide }: BuildToLock,
  work: (tx: BuildTransaction) => Promise<T>,
): Promise<T> {
  return await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    if (mayDecide) await lockForEnd(connection, build);
    return await work({
      attempt: async (attempt) =>
        await readState(connection, { build, attempt, lock: true }, database.definitions),
      record: async (stored, changes) => await writeChanges(connection, stored, changes),
      retry: async (stored, toClose) => await openNextAttempt(connection, stored, toClose),
    });
  });
}

/**
 * Ends the attempt and opens the next one. If no step has run, the next attempt waits 2, 4, 8 … seconds, so
 * that a short outage does not use up all attempts. After an attempt in a warm Pod it does not wait: only a
 * first attempt takes a warm Pod, so this happens once per build.
 */
async function openNextAttempt(
  connection: Transaction,
  { build, attempt }: StoredAttempt,
  { reason, at, steps }: AttemptToClose,
): Promise<void> {
  if (steps.length > 0) await connection.query(rows()`${upsertSteps({ build, attempt, steps })}`);
  await connection.query(rows()`
    UPDATE builds SET attempt = attempt + 1, wants_pod = true, status = 'pending', started_at = NULL,
      pending_reason = ${reason}, start_after = CASE WHEN started_at IS NULL AND NOT EXISTS (
          SELECT 1 FROM build_attempts a
          WHERE a.build_id = builds.id AND a.attempt = ${attempt} AND a.pod_name IS NOT NULL)
        THEN now() + make_interval(secs => 2 ^ least(attempt, 6)) END
    WHERE id = ${build}`);
  await connection.query(rows()`
    WITH closed AS (UPDATE build_attempts SET ended_at = ${timestamp(at)}, reason = ${reason}
      WHERE build_id = ${build} AND attempt = ${attempt})
    INSERT INTO build_attempts (build_id, attempt, created_at) VALUES (${build}, ${attempt + 1}, ${timestamp(at)})`);
}
