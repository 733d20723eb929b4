import { sql } from 'slonik';
import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import {
  ids,
  prepared,
  rows,
  timestamp,
  type Database,
  type Transaction,
} from '#adapters/database/connection/pool.ts';
import {
  BUILD_COLUMNS,
  BUILD_JOINS,
  PREVIOUS_OUTCOME,
  type BuildRow,
} from '#adapters/database/revisions/build-rows.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import type { HookResult } from '#domain/build/agent-protocol.ts';
import type {
  DueNotifications,
  NotificationDecision,
  NotificationRun,
} from '#domain/build/due-notifications.ts';
import { NOTIFICATION_ID_PREFIX } from '#domain/planning/notification-steps.ts';
import type { BuildToNotify, NotificationsToSend } from '#domain/planning/plan-notifications.ts';
import type { PreviousOutcome } from '#domain/planning/plan.ts';

/** The most due notifications of one team in one call. */
const MAX_DUE_OF_TEAM = 50;
/** The most due notifications of all teams in one call. */
const MAX_DUE = 500;

type DueRow = Pick<BuildRow, 'team' | 'pipelineId' | 'job' | 'revision'> &
  Pick<DueNotifications, 'moment' | 'status' | 'ageSeconds' | 'sent'> & {
    due: number;
    previousOutcome: PreviousOutcome | null;
  };

/** Returns the due notifications of teams that have no open run of notifications, oldest first. */
export async function dueNotifications({
  pool,
  definitions,
}: Database & { definitions: Definitions }): Promise<DueNotifications[]> {
  const due = await pool.any(prepared<DueRow>('due_notifications')`
    WITH placed AS (
      SELECT n.id, row_number() OVER (PARTITION BY p.team_id ORDER BY n.id) AS place
      FROM build_notifications n JOIN builds b ON b.id = n.build_id ${BUILD_JOINS}
      WHERE n.ended_at IS NULL AND n.run_id IS NULL AND NOT EXISTS (
        SELECT 1 FROM check_runs c JOIN pipelines o ON o.id = c.pipeline_id
        WHERE c.cause = 'build' AND c.closed_at IS NULL AND o.team_id = p.team_id))
    SELECT ${BUILD_COLUMNS}, n.id AS due, n.moment, b.status,
      extract(epoch FROM now() - n.due_at)::float8 AS "ageSeconds",
      ${PREVIOUS_OUTCOME} AS "previousOutcome", to_jsonb(ARRAY(
        SELECT s.name FROM build_steps s WHERE s.build_id = b.id AND s.attempt = b.attempt
          AND s.step LIKE ${`${NOTIFICATION_ID_PREFIX}%`} AND s.status NOT IN ('waiting', 'skipped'))) AS sent
    FROM placed JOIN build_notifications n ON n.id = placed.id JOIN builds b ON b.id = n.build_id ${BUILD_JOINS}
    WHERE placed.place <= ${MAX_DUE_OF_TEAM} ORDER BY n.id LIMIT ${MAX_DUE}`);
  // If the definitions are too large for one answer, the next call returns the other notifications.
  const revisions = new Set(due.map(({ revision }) => revision));
  const definitionsByRevision = await definitions.of(pool, [...revisions]);
  return due.flatMap(({ due: id, previousOutcome, ...row }): DueNotifications[] => {
    const definition = definitionsByRevision.get(row.revision);
    return definition === undefined ? [] : [{ ...row, id, ...withoutNulls({ previousOutcome }), definition }];
  });
}

const LATE = 'Not sent: for an hour no Pod could send it.';

/**
 * Writes the decision. Leaves out notifications that a run has claimed, or that have ended, since the facts
 * were read.
 */
export async function openNotificationRuns(
  database: Database,
  { runs, silent, late, outdated }: NotificationDecision,
): Promise<void> {
  await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    const decided = [
      ...silent,
      ...[...late, ...outdated, ...runs.flatMap(({ builds }) => builds)].map(({ id }) => id),
    ];
    await connection.query(rows()`
      SELECT 1 FROM build_notifications WHERE id = ANY(${ids(decided)}) ORDER BY id FOR UPDATE`);
    await connection.query(rows()`
      DELETE FROM build_notifications WHERE id = ANY(${ids(silent)}) AND run_id IS NULL AND ended_at IS NULL`);
    await connection.query(rows()`
      UPDATE build_notifications n SET ended_at = now(), error = ${LATE}, notifications = l.notifications
      FROM jsonb_to_recordset(${sql.jsonb(late)}) AS l (id bigint, notifications text[])
      WHERE n.id = l.id AND n.run_id IS NULL AND n.ended_at IS NULL`);
    await connection.query(rows()`
      UPDATE build_notifications n SET ended_at = now(), notifications = o.notifications, results = (
        SELECT jsonb_agg(jsonb_build_object('hook', name, 'output', '', 'skipped', o.why))
        FROM unnest(o.notifications) AS name)
      FROM jsonb_to_recordset(${sql.jsonb(outdated)}) AS o (id bigint, notifications text[], why text)
      WHERE n.id = o.id AND n.run_id IS NULL AND n.ended_at IS NULL`);
    for (const run of runs) await openRun(connection, run);
  });
}

async function openRun(
  connection: Transaction,
  { pipelineId, revision, builds }: NotificationRun,
): Promise<void> {
  await connection.query(rows()`
    WITH claimed AS (
      SELECT n.id, c.notifications FROM build_notifications n
      JOIN jsonb_to_recordset(${sql.jsonb(builds)}) AS c (id bigint, notifications text[]) ON c.id = n.id
      WHERE n.run_id IS NULL AND n.ended_at IS NULL ORDER BY n.id FOR UPDATE OF n),
    opened AS (
      INSERT INTO check_runs (pipeline_id, revision_id, check_group, cause, opened_at)
      SELECT ${pipelineId}, ${revision}, 'notifications', 'build', now() WHERE EXISTS (SELECT 1 FROM claimed)
      RETURNING id)
    UPDATE build_notifications n SET run_id = opened.id, notifications = claimed.notifications
    FROM claimed, opened WHERE n.id = claimed.id`);
}

type ToNotifyRow = Omit<BuildToNotify, 'reason' | 'versions' | 'build'> & {
  due: number;
  job: string;
  reason: string | null;
  versions: Record<string, string>[] | null;
};

/** Returns the notifications that an open run sends; undefined if it has none. */
export async function notificationsOfRun(
  { pool }: Database,
  run: number,
): Promise<NotificationsToSend | undefined> {
  const builds = await pool.any(rows<ToNotifyRow>()`
    SELECT ${BUILD_COLUMNS}, n.id AS due, n.moment, b.reason, b.input_values AS inputs,
      to_jsonb(n.notifications) AS notifications,
      CASE WHEN n.moment = 'waiting' THEN 'waiting' WHEN b.status = 'warning' THEN 'failed' ELSE b.status
      END AS status, (
        SELECT jsonb_agg(coalesce(v.fields, '{}') ORDER BY i.position)
        FROM build_inputs i LEFT JOIN versions v ON v.id = i.version_id WHERE i.build_id = b.id) AS versions
    FROM build_notifications n JOIN builds b ON b.id = n.build_id ${BUILD_JOINS}
    WHERE n.run_id = ${run} AND n.ended_at IS NULL ORDER BY n.id`);
  const [first] = builds;
  return (
    first && {
      job: first.job,
      builds: builds.map(
        ({ due, id: build, moment, number, status, notifications, reason, versions, inputs }) => ({
          id: due,
          build,
          moment,
          number,
          status,
          notifications,
          inputs,
          versions: versions ?? [],
          ...withoutNulls({ reason }),
        }),
      ),
    }
  );
}

/** Ends all notifications of a run, with their results and the error of the run. */
export async function endNotifications(
  connection: Transaction,
  run: number,
  { at, error, results }: { at: Date; error: string | null; results: HookResult[] },
): Promise<void> {
  await connection.query(rows()`
    UPDATE build_notifications n SET ended_at = ${timestamp(at)}, error = ${error}, results = coalesce((
      SELECT jsonb_agg(r.result ORDER BY r.place)
      FROM jsonb_array_elements(${sql.jsonb(results)}) WITH ORDINALITY AS r (result, place)
      WHERE r.result ->> 'version' = n.id::text), '[]')
    WHERE n.id = ANY(ARRAY(
      SELECT id FROM build_notifications WHERE run_id = ${run} AND ended_at IS NULL ORDER BY id FOR UPDATE))`);
}
