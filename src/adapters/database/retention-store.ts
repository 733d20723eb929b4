import type { Removed, RetentionStore } from '#flows/retain-history.ts';
import { holdEpoch } from './fence.ts';
import { ids, rows, type Database, type Transaction } from './pool.ts';
import { retainSomeBuilds } from './retain-builds.ts';
import { retainSomeVersions } from './retain-versions.ts';

/** Each job and each resource has its turn this often. */
const EVERY_MS = 6 * 60 * 60 * 1000;
/** What only tells of a check that has ended, or of a request that was refused. */
const RECORDS_MS = 7 * 24 * 60 * 60 * 1000;
/** A request that follows a triggered version, when no build upstream has succeeded. */
const FOLLOWING_MS = 30 * 24 * 60 * 60 * 1000;
const RECORDS_AT_ONCE = 1000;

export function retentionStore(database: Database): RetentionStore {
  return {
    async retainNext(at) {
      const turn = { at, since: new Date(at.getTime() - EVERY_MS) };
      return await database.pool.transaction(async (connection) => {
        await holdEpoch(database, connection);
        return (
          (await retainSomeBuilds(connection, turn)) ??
          (await retainSomeVersions(connection, turn)) ??
          (await removeRecords(connection, at))
        );
      });
    },
  };
}

async function removeRecords(connection: Transaction, at: Date): Promise<Removed | undefined> {
  const before = new Date(at.getTime() - RECORDS_MS);
  const runs = await connection.anyFirst(rows<{ id: number }>()`
    WITH old AS (
      SELECT c.id FROM check_runs c WHERE c.closed_at < ${before.toISOString()}
        AND NOT EXISTS (SELECT 1 FROM check_scopes s WHERE s.run_id = c.id)
      ORDER BY c.closed_at LIMIT ${RECORDS_AT_ONCE}),
    sessions AS (DELETE FROM agent_sessions a USING old WHERE a.run_id = old.id)
    SELECT id FROM old`);
  // In a statement of its own: it may see that their sessions are gone.
  await connection.query(rows()`DELETE FROM check_runs WHERE id = ANY(${ids(runs)})`);
  const refused = await connection.anyFirst(rows<{ id: number }>()`
    DELETE FROM job_triggers WHERE id = ANY(ARRAY(
      SELECT id FROM job_triggers WHERE refused IS NOT NULL AND requested_at < ${before.toISOString()}
      ORDER BY requested_at LIMIT ${RECORDS_AT_ONCE})) RETURNING id`);
  const following = await connection.anyFirst(rows<{ id: number }>()`
    DELETE FROM job_triggers WHERE id = ANY(ARRAY(
      SELECT id FROM job_triggers WHERE follows AND build_id IS NULL AND refused IS NULL
        AND requested_at < ${new Date(at.getTime() - FOLLOWING_MS).toISOString()}
      ORDER BY requested_at LIMIT ${RECORDS_AT_ONCE})) RETURNING id`);
  const records = runs.length + refused.length + following.length;
  return records === 0 ? undefined : { builds: 0, logs: 0, versions: 0, records };
}
