import { sql } from 'slonik';
import { holdEpoch, withEpoch } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids, rows, timestamp, type Database, type Transaction } from '#adapters/database/connection/pool.ts';
import type { HookResult } from '#domain/build/agent-protocol.ts';
import { storable } from '#domain/build/storable.ts';
import type { HooksEnded } from '#flows/checks/ports.ts';
import type { OpenHookRun } from '#flows/pods/workloads.ts';
import { endNotifications } from './notification-runs.ts';
import { requestSchedule } from './request-schedule.ts';

/** How long after its start a run of notifications may wait for its agent to connect. */
const MAX_START_SECONDS = 10 * 60;
/**
 * Time limit of a run of notifications after its agent has connected. It is longer than the plan's limit for
 * all notifications together.
 */
const SEND_SECONDS = 3 * 60;

/**
 * Returns the open runs of hooks and of notifications, oldest first. Includes runs of hooks that hold no
 * versions any more because their resource has another check scope now: such a run takes a slot until it
 * ends. `leftMs` is measured by the database's clock, which also decides until when versions are held.
 */
export async function openHookRuns({ pool }: Database): Promise<OpenHookRun[]> {
  const open = await pool.any(rows<
    Omit<OpenHookRun, 'refused' | 'podUid'> & { refused: string | null; podUid: string | null }
  >()`
    SELECT c.id AS run, t.name AS team, p.name AS pipeline, p.id AS "pipelineId", p.namespace, c.check_group AS "group",
      c.opened_at AS "openedAt", c.seen_at IS NOT NULL AS seen, true AS hooks, false AS "byCronJob",
      c.error AS refused,
      a.pod_uid AS "podUid", o.work, extract(epoch FROM o.until - now()) * 1000 AS "leftMs"
    FROM (
      SELECT h.run_id, 'hooks' AS work, h.held_until AS until
      FROM check_runs v JOIN hook_runs h ON h.run_id = v.id WHERE v.closed_at IS NULL AND v.cause = 'version'
      UNION ALL
      SELECT id, 'notifications', coalesce(seen_at + ${SEND_SECONDS} * interval '1 second',
        opened_at + ${MAX_START_SECONDS} * interval '1 second')
      FROM check_runs WHERE closed_at IS NULL AND cause = 'build') AS o
    JOIN check_runs c ON c.id = o.run_id JOIN pipelines p ON p.id = c.pipeline_id
      JOIN teams t ON t.id = p.team_id
    LEFT JOIN agent_sessions a ON a.run_id = c.id
    ORDER BY o.run_id`);
  return open.map(({ refused, podUid, ...run }) => ({
    ...run,
    ...withoutNulls({ refused, podUid }),
  }));
}

/** Stores why the hooks have no Pod yet. */
export async function explainHooks(database: Database, run: number, reason: string): Promise<void> {
  const explain = rows()`
    UPDATE check_runs SET error = ${storable(reason)}
    WHERE id = ${run} AND closed_at IS NULL AND error IS DISTINCT FROM ${storable(reason)}`;
  await withEpoch(database, async (connection) => await connection.query(explain));
}

/**
 * Closes a run and records the results of all its hooks or notifications. Returns `over` if the run was
 * closed already.
 */
export async function recordHooks(
  database: Database,
  { run, ended, at }: { run: number; ended: HooksEnded; at: Date },
): Promise<{ pipelineId: number } | 'over'> {
  return await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    const { results, error = null } = ended;
    const closed = await connection.maybeOne(rows<{ pipelineId: number; cause: string }>()`
      UPDATE check_runs SET closed_at = ${timestamp(at)}, error = ${error}
      WHERE id = ${run} AND closed_at IS NULL AND cause IN ('version', 'build')
      RETURNING pipeline_id AS "pipelineId", cause`);
    if (closed === null) return 'over';
    const { pipelineId, cause } = closed;
    if (cause === 'build') await endNotifications(connection, run, { at, error: null, results });
    else await releaseVersions(connection, run, { at, error, results });
    return { pipelineId };
  });
}

/**
 * Releases the versions that the run holds, whatever the results of their hooks, and requests a decision on
 * the jobs that get the resource. Returns false if the run held none.
 */
export async function releaseVersions(
  connection: Transaction,
  run: number,
  { at, error, results }: { at: Date; error: string | null; results: HookResult[] },
): Promise<boolean> {
  const lastHooks = { endedAt: at.toISOString(), ...withoutNulls({ error }), results };
  const released = await connection.anyFirst(rows<{ resource: number }>()`
    WITH released AS (
      UPDATE hook_runs SET open = false WHERE run_id = ${run} AND open
        RETURNING resource_id, first_version, last_version),
    recorded AS (
      UPDATE check_scopes s SET last_hooks = ${sql.jsonb(lastHooks)}
        || jsonb_build_object('first', o.first_version, 'last', o.last_version)
      FROM released o JOIN versions v ON v.id = o.first_version
      WHERE s.id = v.scope_id AND coalesce((s.last_hooks ->> 'last')::bigint, 0) < o.last_version)
    SELECT resource_id AS resource FROM released`);
  if (released.length === 0) return false;
  // A separate statement, because it must lock the jobs after the scope, as transactions that record versions
  // do.
  const jobs = sql.fragment`SELECT job_id FROM job_gets WHERE resource_id = ANY(${ids(released)})`;
  await connection.query(rows()`${requestSchedule(jobs)}`);
  return true;
}
