import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { ids, rows, type Database, type Transaction } from '#adapters/database/connection/pool.ts';
import type {
  RecordsBefore,
  RetentionStore,
  RetentionTransaction,
} from '#flows/retention/retention-ports.ts';
import { downstreamFacts, oldBuilds, removeBuilds } from './retain-builds.ts';
import { removeOldRevisions } from './retain-revisions.ts';
import { forgetVersions, oldVersions } from './retain-versions.ts';
import { leaveTurn, nextTurn } from './retention-turn.ts';

/** The most records of each kind that one call removes. */
const MAX_RECORDS = 1000;

export function retentionStore(database: Database): RetentionStore {
  return {
    now: async () => await database.pool.oneFirst(rows<{ now: Date }>()`SELECT now()`),
    async withHistory(work) {
      return await database.pool.transaction(async (connection) => {
        await holdEpoch(database, connection);
        return await work(retentionTransaction(connection));
      });
    },
  };
}

function retentionTransaction(connection: Transaction): RetentionTransaction {
  return {
    nextTurn: (of, since) => nextTurn(connection, of, since),
    oldBuilds: (turn, limit, keep) => oldBuilds(connection, turn, { limit, keep }),
    downstreamFacts: (turn) => downstreamFacts(connection, turn),
    removeBuilds: (turn, decision, builds) => removeBuilds(connection, turn, { decision, builds }),
    oldVersions: (turn, limit) => oldVersions(connection, turn, limit),
    forgetVersions: (versions) => forgetVersions(connection, versions),
    leaveTurn: (turn, last, at) => leaveTurn(connection, turn, { last, at }),
    removeOldRevisions: (pipeline, replacedBefore) =>
      removeOldRevisions(connection, pipeline, replacedBefore),
    removeRecords: (before) => removeRecords(connection, before),
  };
}

async function removeRecords(connection: Transaction, before: RecordsBefore): Promise<number> {
  const runs = await connection.anyFirst(rows<{ id: number }>()`
    WITH old AS (
      SELECT c.id FROM check_runs c WHERE c.closed_at < ${before.checkRuns.toISOString()}
        AND NOT EXISTS (SELECT 1 FROM check_scopes s WHERE s.run_id = c.id)
      ORDER BY c.closed_at LIMIT ${MAX_RECORDS}),
    sessions AS (DELETE FROM agent_sessions a USING old WHERE a.run_id = old.id)
    SELECT id FROM old`);
  // A separate statement, because it must see that the sessions of these runs are deleted.
  await connection.query(rows()`DELETE FROM check_runs WHERE id = ANY(${ids(runs)})`);
  const refused = await connection.anyFirst(rows<{ id: number }>()`
    DELETE FROM job_triggers WHERE id = ANY(ARRAY(
      SELECT id FROM job_triggers WHERE refused IS NOT NULL AND requested_at < ${before.refusedRequests.toISOString()}
      ORDER BY requested_at LIMIT ${MAX_RECORDS})) RETURNING id`);
  const following = await connection.anyFirst(rows<{ id: number }>()`
    DELETE FROM job_triggers WHERE id = ANY(ARRAY(
      SELECT id FROM job_triggers WHERE follows AND build_id IS NULL AND refused IS NULL
        AND requested_at < ${before.waitingRequests.toISOString()}
      ORDER BY requested_at LIMIT ${MAX_RECORDS})) RETURNING id`);
  return runs.length + refused.length + following.length;
}
