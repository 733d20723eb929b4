import { gatherJobs } from '#adapters/database/builds/scheduling/gather.ts';
import { decisionTransaction } from '#adapters/database/builds/scheduling/schedule.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids, rows, type Transaction } from '#adapters/database/connection/pool.ts';
import { defined } from '#defined';
import type { RetainDecision, Retention } from '#domain/retention/decide-retention.ts';
import type { FactsTransaction } from '#flows/builds/schedule-ports.ts';
import type { OldBuilds, RetentionTurn } from '#flows/retention/retention-ports.ts';
import { removeLogs } from './log-store.ts';

type StoredBuild = Omit<OldBuilds['builds'][number], 'endedAt'> & { endedAt: Date | null };

export async function oldBuilds(
  connection: Transaction,
  turn: RetentionTurn,
  { limit, keep }: { limit: number; keep: Required<Retention> },
): Promise<OldBuilds> {
  const builds = await oldestBuilds(connection, turn, limit);
  const { id: job, pipeline } = turn;
  const bounds = await connection.one(rows<{
    oldest: number | null;
    good: number | null;
    pinned: number[];
  }>()`
    SELECT (SELECT id FROM builds WHERE job_id = ${job}
      ORDER BY id DESC OFFSET ${Math.max(0, keep.builds - 1)} LIMIT 1) AS oldest,
      (SELECT id FROM builds WHERE job_id = ${job} AND status IN ('succeeded', 'warning')
        ORDER BY id DESC OFFSET ${Math.max(0, keep.minimumSucceeded - 1)} LIMIT 1) AS good,
      to_jsonb(ARRAY(SELECT pinned_version FROM resources
        WHERE pipeline_id = ${pipeline} AND pinned_version IS NOT NULL)) AS pinned`);
  return {
    builds: builds.map(({ endedAt, ...build }) => ({
      ...build,
      ...defined({ endedAt: endedAt?.getTime() }),
    })),
    pinned: new Set(bounds.pinned),
    ...withoutNulls({ oldestRetained: bounds.oldest, oldestGoodRetained: bounds.good }),
  };
}

async function oldestBuilds(
  connection: Transaction,
  { id: job, from }: RetentionTurn,
  limit: number,
): Promise<readonly StoredBuild[]> {
  return await connection.any(rows<StoredBuild>()`
    SELECT b.id, b.status, b.ended_at AS "endedAt", b.created_at AS "createdAt",
      coalesce((SELECT jsonb_agg(jsonb_build_object('scope', v.scope_id, 'version', v.id))
        FROM build_inputs i JOIN versions v ON v.id = i.version_id WHERE i.build_id = b.id AND i.used), '[]') AS inputs,
      coalesce((SELECT jsonb_agg(jsonb_build_object('scope', v.scope_id, 'version', v.id))
        FROM build_outputs o JOIN versions v ON v.id = o.version_id WHERE o.build_id = b.id), '[]') AS outputs
    FROM builds b WHERE b.job_id = ${job} AND b.id > ${from} ORDER BY b.id LIMIT ${limit}`);
}

/**
 * Returns a transaction that reads facts of the jobs whose `passed` names this job; undefined if there are
 * none.
 */
export async function downstreamFacts(
  connection: Transaction,
  { id: job }: RetentionTurn,
): Promise<FactsTransaction | undefined> {
  const downstream = await connection.anyFirst(rows<{ job_id: number }>()`
    SELECT DISTINCT g.job_id FROM job_gets g JOIN jobs j ON j.id = g.job_id AND j.deleted_at IS NULL
    WHERE g.passed @> ARRAY[${job}::bigint]`);
  if (downstream.length === 0) return undefined;
  return decisionTransaction(connection, async () => await gatherJobs(connection, downstream));
}

/**
 * Deletes the builds and logs that the decision names, and raises baselines (column `dealt_with`), so that
 * the versions of deleted builds are not built again.
 */
export async function removeBuilds(
  connection: Transaction,
  { id: job }: RetentionTurn,
  { decision, builds }: { decision: RetainDecision; builds: OldBuilds['builds'] },
): Promise<void> {
  const withoutLogs = new Set([...decision.remove, ...decision.removeLogs]);
  await removeLogs(
    connection,
    builds.filter(({ id }) => withoutLogs.has(id)),
  );
  if (decision.remove.length === 0) return;
  for (const { scope, version } of decision.baselines) {
    await connection.query(rows()`
      UPDATE job_gets g SET dealt_with = greatest(dealt_with, ${version}) FROM resources r
      WHERE g.job_id = ${job} AND r.id = g.resource_id AND coalesce(g.scope_id, r.scope_id) = ${scope}`);
    await connection.query(rows()`
      UPDATE get_marks SET dealt_with = greatest(dealt_with, ${version}) WHERE job_id = ${job}
        AND scope_id = ${scope}`);
  }
  const removed = ids(decision.remove);
  await connection.query(rows()`DELETE FROM good_versions WHERE build_id = ANY(${removed})`);
  await connection.query(rows()`DELETE FROM build_inputs WHERE build_id = ANY(${removed})`);
  await connection.query(rows()`DELETE FROM build_outputs WHERE build_id = ANY(${removed})`);
  await connection.query(rows()`DELETE FROM build_steps WHERE build_id = ANY(${removed})`);
  await connection.query(rows()`DELETE FROM build_votes WHERE build_id = ANY(${removed})`);
  await connection.query(rows()`DELETE FROM agent_sessions WHERE build_id = ANY(${removed})`);
  await connection.query(rows()`DELETE FROM job_triggers WHERE build_id = ANY(${removed})`);
  await connection.query(rows()`DELETE FROM build_attempts WHERE build_id = ANY(${removed})`);
  await connection.query(rows()`DELETE FROM builds WHERE id = ANY(${removed})`);
}
