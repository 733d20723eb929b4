import { sql } from 'slonik';
import { stopBuilds } from '#adapters/database/builds/scheduling/stop-builds.ts';
import { lockJobs } from '#adapters/database/checks/request-schedule.ts';
import { LAST_FOUND_FIRST, ofScope } from '#adapters/database/checks/versions-in-order.ts';
import { ids, rows, textArray, type Transaction } from '#adapters/database/connection/pool.ts';
import type { DefinitionRows, GetRow } from '#domain/scheduling/definition-rows.ts';
import { JOB_REMOVED } from '#domain/scheduling/reasons.ts';
import { dropMarks, swapMarks, type Mark } from './get-marks.ts';

/**
 * Creates, restores, changes and removes jobs, stores their gets, and requests a decision on each job of the
 * definition.
 */
export async function saveJobs(
  connection: Transaction,
  pipeline: number,
  { jobs, gets }: Pick<DefinitionRows, 'jobs' | 'gets'>,
): Promise<void> {
  await lockJobs(connection, sql.fragment`SELECT id FROM jobs WHERE pipeline_id = ${pipeline}`);
  await refuseOldRequests(connection, pipeline);
  const names = jobs.map((job) => job.name);
  const records = jobs.map(({ approval, inputs, ...job }) => ({
    ...job,
    approval: approval && { ...approval },
    inputs: inputs.map((input) => ({ ...input })),
  }));
  await connection.query(rows()`
    INSERT INTO jobs AS j (pipeline_id, name, position, schedule_requested, paused, concurrency,
      serial_groups, interruptible, supersede,
      allow_failure, disable_retry, approval, inputs)
    SELECT p.id, n.name, n.position, 1, p.paused, n.concurrency,
      ARRAY(SELECT jsonb_array_elements_text(n."serialGroups")),
      n.interruptible, n.supersede, n."allowFailure", n."disableRetry", n.approval, n.inputs
    FROM pipelines p, jsonb_to_recordset(${sql.jsonb(records)}) AS n (name text, position integer, concurrency integer,
      "serialGroups" jsonb, interruptible boolean, supersede boolean,
      "allowFailure" boolean, "disableRetry" boolean, approval jsonb, inputs jsonb)
    WHERE p.id = ${pipeline}
    ON CONFLICT (pipeline_id, name) DO UPDATE
      SET position = excluded.position, deleted_at = NULL, schedule_requested = j.schedule_requested + 1,
        paused = CASE WHEN j.deleted_at IS NULL THEN j.paused ELSE j.paused OR excluded.paused END,
        concurrency = excluded.concurrency, serial_groups = excluded.serial_groups,
          interruptible = excluded.interruptible,
        supersede = excluded.supersede,
        allow_failure = excluded.allow_failure, disable_retry = excluded.disable_retry, approval = excluded.approval,
        inputs = excluded.inputs`);
  const removed = await connection.anyFirst(rows<{ id: number }>()`
    UPDATE jobs SET deleted_at = now(), last_scheduled = schedule_requested
    WHERE pipeline_id = ${pipeline} AND deleted_at IS NULL AND name <> ALL(${textArray(names)}) RETURNING id`);
  await endQueuedBuilds(connection, removed);
  await dropMarks(
    connection,
    sql.fragment`SELECT id FROM jobs WHERE pipeline_id = ${pipeline} AND deleted_at IS NOT NULL`,
  );
  await saveGets(connection, pipeline, gets);
}

/**
 * Refuses the open requests of jobs that an earlier save removed, because this save may restore such a job.
 * Otherwise the request would create a build when nobody expects it, perhaps days after a person made it.
 */
async function refuseOldRequests(connection: Transaction, pipeline: number): Promise<void> {
  await connection.query(rows()`
    UPDATE job_triggers m SET refused = ${JSON.stringify([JOB_REMOVED])}::jsonb FROM jobs j
    WHERE j.pipeline_id = ${pipeline} AND j.deleted_at IS NOT NULL AND m.job_id = j.id
      AND m.build_id IS NULL AND m.refused IS NULL`);
}

/** Ends the builds of removed jobs that have not had their turn. Builds that had it continue. */
async function endQueuedBuilds(connection: Transaction, jobs: readonly number[]): Promise<void> {
  if (jobs.length === 0) return;
  const condition = sql.fragment`id IN (SELECT q.id FROM builds q
    WHERE q.job_id = ANY(${ids(jobs)}) AND q.ended_at IS NULL AND q.admitted_at IS NULL)`;
  const message = 'The job was removed from the pipeline.';
  await connection.query(rows()`${stopBuilds(condition, { message, at: new Date() })}`);
}

/**
 * When a get becomes a trigger, known versions start no build, so that history is not replayed. A get that
 * was a trigger of the same job and resource before keeps its baseline. If a job has several gets of one
 * resource, each keeps the baseline of the former get with the same index. A get that loses its `passed`, or
 * that begins to take every version, gets a new baseline: otherwise it would build all versions that it has
 * left out so far.
 */
async function saveGets(connection: Transaction, pipeline: number, gets: readonly GetRow[]): Promise<void> {
  const formerMarks = await connection.any(rows<Mark>()`
    DELETE FROM job_gets g USING jobs j WHERE j.id = g.job_id AND j.pipeline_id = ${pipeline}
    RETURNING g.job_id AS job, g.resource_id AS resource, g.nth, g.scope_id AS scope,
      g.passed <> '{}' AS gated, g.every, g.settled, g.floor,
      CASE WHEN g.trigger THEN g.dealt_with END AS dealt_with`);
  const marks = await swapMarks(connection, pipeline, formerMarks);
  await connection.query(rows()`
    INSERT INTO job_gets (job_id, position, nth, name, resource_id, scope_id, trigger, every, passed,
      dealt_with, settled, floor)
    SELECT j.id, n.position, n.nth, n.name, r.id, r.scope_id, n.trigger, n.every,
      ARRAY(SELECT u.id FROM jobs u JOIN jsonb_array_elements_text(n.passed) p ON u.name = p.value
        WHERE u.pipeline_id = ${pipeline}),
      coalesce(before.dealt_with,
        (SELECT v.id FROM versions v WHERE ${ofScope(sql.fragment`r.scope_id`)} ${LAST_FOUND_FIRST} LIMIT 1),
        0),
      coalesce(before.settled, 0), coalesce(before.floor, 0)
    FROM jsonb_to_recordset(${sql.jsonb(gets.map((get) => ({ ...get })))}) AS n
      (job text, position integer, nth smallint, name text, resource text, trigger boolean, every boolean, passed jsonb)
    JOIN jobs j ON j.pipeline_id = ${pipeline} AND j.name = n.job
    JOIN resources r ON r.pipeline_id = ${pipeline} AND r.name = n.resource
    LEFT JOIN LATERAL (
      SELECT min(k.dealt_with) AS dealt_with, min(k.floor) AS floor,
        min(CASE WHEN k.every AND NOT k.gated THEN k.settled ELSE 0 END) AS settled
      FROM jsonb_to_recordset(${sql.jsonb(marks)}) AS k
        (job bigint, resource bigint, nth smallint, gated boolean, every boolean, dealt_with bigint,
          settled bigint, floor bigint)
      WHERE k.job = j.id AND k.resource = r.id AND (k.nth IS NULL OR k.nth = n.nth)
        AND NOT (k.gated AND n.passed = '[]') AND NOT (n.every AND NOT k.every)) AS before ON true`);
}
