import { holdEpoch } from '#adapters/database/connection/fence.ts';
import {
  prepared,
  rows,
  textArray,
  timestamp,
  type Database,
  type Transaction,
} from '#adapters/database/connection/pool.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import { defined } from '#defined';
import type { CheckStore, CheckTransaction, DueCheck } from '#flows/checks/ports.ts';
import {
  dueScopes,
  findRunOfPod,
  freeScopesOf,
  insertRun,
  markRunClosed,
  openRuns,
  releaseRun,
  runFacts,
  scopesOfRun,
} from './check-runs.ts';
import { failCheck, moveTimers, timersAhead } from './check-timers.ts';
import { cronNext } from './cron-next.ts';
import { explainHooks, openHookRuns, recordHooks } from './hook-runs.ts';
import { dueNotifications, openNotificationRuns } from './notification-runs.ts';
import { freeScope, scopeOfCheck } from './record-check.ts';
import { addVersions } from './record-versions.ts';
import { requestChecksByToken, resourceOfToken } from './request-checks-by-token.ts';
import { requestAssignments, wakeTriggers } from './trigger-checks.ts';

export function checkStore(database: Database & { definitions: Definitions }): CheckStore {
  const { pool } = database;
  return {
    async requestCheck(resource, cause, at) {
      const found = await pool.maybeOneFirst(rows<{ id: number }>()`
        UPDATE check_scopes s SET ${requestAssignments(cause, at)}
        FROM resources r JOIN pipelines p ON p.id = r.pipeline_id JOIN teams t ON t.id = p.team_id
        WHERE s.id = r.scope_id AND s.live AND s.checked_by <> 'nothing' AND r.deleted_at IS NULL
          AND p.deleted_at IS NULL AND t.name = ${resource.team} AND p.name = ${resource.pipeline}
          AND r.name = ${resource.resource}
        RETURNING s.id`);
      return found === null ? 'unknown' : 'requested';
    },
    requestChecksByToken: (calls, at) => requestChecksByToken(pool, calls, at),
    resourceOfToken: (tokenHash) => resourceOfToken(pool, tokenHash),
    dueChecks: (at, maxPerTeam, exceptTeams = []) => dueChecks(database, { at, maxPerTeam, exceptTeams }),
    overduePipelines: (at) => overduePipelines(database, at),
    timersAhead: (at) => timersAhead(database, at),
    moveTimers: (moved) => moveTimers(database, moved),
    async withChecks(work) {
      return await pool.transaction(async (connection) => {
        await holdEpoch(database, connection);
        return await work(checkTransaction(connection));
      });
    },
    cronNext,
    runFacts: (run) => runFacts(database, run),
    releaseRun: (run, at, reason) => releaseRun(database, { run, at, reason }),
    openRuns: () => openRuns(database),
    openHookRuns: () => openHookRuns(database),
    dueNotifications: () => dueNotifications(database),
    openNotificationRuns: (decision) => openNotificationRuns(database, decision),
    explainHooks: (run, reason) => explainHooks(database, run, reason),
    recordHooks: (run, ended, at) => recordHooks(database, { run, ended, at }),
  };
}

function checkTransaction(connection: Transaction): CheckTransaction {
  return {
    dueScopes: (scopes, at) => dueScopes(connection, scopes, at),
    freeScopesOf: (group) => freeScopesOf(connection, group),
    runOfPod: (podUid) => findRunOfPod(connection, podUid),
    openRun: (run) => insertRun(connection, run),
    scopeOfCheck: (scope, at) => scopeOfCheck(connection, scope, at),
    addVersions: (scope, versions, at) => addVersions(connection, scope, versions, { at }),
    freeScope: (checked, at) => freeScope(connection, checked, at),
    failCheck: (failed, at) => failCheck(connection, failed, at),
    wakeTriggers: (scopes) => wakeTriggers(connection, scopes),
    scopesOf: (run) => scopesOfRun(connection, run),
    closeRun: (run, error, at) => markRunClosed(connection, run, { ...defined({ error }), at }),
  };
}

/** Limit of the due checks in one answer, whatever the number of teams. */
const MAX_DUE = 10_000;

/**
 * Returns due checks of each team: at most `maxPerTeam` that need a Pod, and as many that need none. Checks
 * that a person or a webhook requested come before scheduled ones.
 */
async function dueChecks(
  { pool }: Database,
  { at, maxPerTeam, exceptTeams }: { at: Date; maxPerTeam: number; exceptTeams: readonly string[] },
): Promise<DueCheck[]> {
  const due = await pool.any(prepared<DueCheck>('due_checks')`
    WITH due AS (
      SELECT id, requested_at AS due_at, requested_cause AS cause FROM check_scopes
      WHERE live AND run_id IS NULL AND requested_at IS NOT NULL
      UNION ALL
      SELECT id, next_check_at, 'schedule' FROM check_scopes
      WHERE live AND run_id IS NULL AND timer = 'operator' AND next_check_at <= ${timestamp(at)}
        AND requested_at IS NULL),
    placed AS (
      SELECT due.*, s.check_group, s.checked_by, p.id AS pipeline_id, p.name AS pipeline, p.namespace, t.name AS team,
        row_number() OVER (PARTITION BY p.team_id, s.checked_by = 'operator'
          ORDER BY due.cause = 'schedule', due.due_at, s.id) AS place
      FROM due
      JOIN check_scopes s ON s.id = due.id
      JOIN pipelines p ON p.id = s.pipeline_id AND p.deleted_at IS NULL
      JOIN teams t ON t.id = p.team_id
      WHERE s.checked_by = 'operator' OR t.name <> ALL(${textArray([...exceptTeams])})),
    first AS (SELECT * FROM placed WHERE place <= ${maxPerTeam} ORDER BY place LIMIT ${MAX_DUE})
    SELECT f.team, f.pipeline, f.pipeline_id AS "pipelineId", f.namespace, r.name AS resource, f.id AS scope,
      f.check_group AS "group", f.checked_by = 'operator' AS "builtInCron", f.cause, f.due_at AS "dueAt"
    FROM first f JOIN resources r ON r.scope_id = f.id AND r.deleted_at IS NULL
    ORDER BY f.cause = 'schedule', f.due_at, f.id`);
  return [...due];
}

async function overduePipelines({ pool }: Database, at: Date): Promise<number[]> {
  const found = await pool.anyFirst(prepared<{ id: number }>('overdue_pipelines')`
    SELECT DISTINCT pipeline_id AS id FROM check_scopes
    WHERE live AND run_id IS NULL AND timer <> 'none'
      AND coalesce(held_since, next_check_at) < ${timestamp(at)}
        - 2 * interval '1 second' * coalesce((schedule->>'seconds')::integer, 60)
    ORDER BY id`);
  return [...found];
}
