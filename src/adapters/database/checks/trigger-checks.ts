import { sql } from 'slonik';
import { ids, rows, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import { requestSchedule } from './request-schedule.ts';

/** SQL condition: the trigger `m`, a request for a build of a job, has neither a build nor a refusal. */
const OPEN = sql.fragment`m.build_id IS NULL AND m.refused IS NULL`;

/**
 * Limit in characters of a check's error in the cause of a build. The page of the resource shows the whole
 * error.
 */
const MAX_ERROR_LENGTH = 300;

interface TriggerRow {
  job: number;
  by: string;
  /** The values of the job's inputs as JSON. */
  inputs: string | null;
  /** How long the trigger waits for its checks at most, in milliseconds. */
  waitMs: number;
  at: Date;
}

/**
 * Requests a check of each resource that the job gets without `passed`, and inserts a trigger that waits
 * until these checks have run. Locks scopes in order of id and before jobs, as a transaction that records a
 * check does, so that the two cannot deadlock. Returns the trigger's row id.
 */
export async function insertTrigger(
  connection: Transaction,
  { job, by, inputs, waitMs, at }: TriggerRow,
): Promise<number> {
  return await connection.oneFirst(rows<{ id: number }>()`
    WITH locked AS MATERIALIZED (
      SELECT s.id FROM check_scopes s WHERE s.live AND s.checked_by <> 'nothing' AND s.id IN (
        SELECT r.scope_id FROM job_gets g JOIN resources r ON r.id = g.resource_id WHERE g.job_id = ${job}
          AND g.passed = '{}')
      ORDER BY s.id FOR UPDATE),
    requested AS (
      UPDATE check_scopes s SET ${requestAssignments('manual', at)} FROM locked WHERE s.id = locked.id
      RETURNING s.id, greatest(s.run_id, s.last_run) AS after)
    INSERT INTO job_triggers (job_id, requested_by, requested_at, input_values, check_until, checks)
    SELECT ${job}::bigint, ${by}, ${timestamp(at)}, ${inputs}::jsonb,
      clock_timestamp() + ${waitMs} * interval '1 millisecond',
      coalesce(jsonb_agg(jsonb_build_object('scope', a.id, 'after', a.after, 'resource', r.id)
        ORDER BY r.position), '[]')
    FROM requested a JOIN resources r ON r.scope_id = a.id
    RETURNING id`);
}

/**
 * SQL assignments that request a check of scope `s`. An earlier request keeps its time. The cause of a person
 * or webhook replaces that of the timer, since such a check resets the timer.
 */
export function requestAssignments(cause: string, at: Date) {
  return sql.fragment`requested_at = coalesce(s.requested_at, ${timestamp(at)}),
    requested_cause = CASE WHEN coalesce(s.requested_cause, 'schedule') = 'schedule' THEN ${cause}
      ELSE s.requested_cause END`;
}

/**
 * SQL: the results of the checks that trigger `m` requested. `open`: the trigger still waits for the check,
 * which it does only while the scope is the current one of the resource.
 */
const checksOfTrigger = sql.fragment`
  SELECT r.name AS resource, r.position, r.scope_id = c.scope AND s.live AND s.last_run <= c.after AS open,
    CASE WHEN r.scope_id <> c.scope OR s.last_run <= c.after THEN 'late'
      WHEN s.last_error IS NULL THEN 'checked' ELSE 'failed' END AS result,
    left(s.last_error, ${MAX_ERROR_LENGTH}) AS error
  FROM jsonb_to_recordset(m.checks) AS c (scope bigint, after bigint, resource bigint)
  JOIN resources r ON r.id = c.resource JOIN check_scopes s ON s.id = c.scope`;

/** SQL: `checks` of `BuildRequest`; null if the trigger requested none. */
export const requestedChecks = sql.fragment`CASE WHEN m.checks <> '[]' THEN (
  SELECT jsonb_agg(jsonb_build_object('resource', o.resource, 'result', o.result, 'error', CASE o.result
    WHEN 'failed' THEN o.error END)
    ORDER BY o.position) FROM (${checksOfTrigger}) AS o) END`;

/**
 * SQL: whether the trigger `m` still waits for a check. Null if its time is over or if it requested no check.
 */
export const isChecking = sql.fragment`CASE WHEN m.check_until > now() THEN (
  SELECT bool_or(o.open) FROM (${checksOfTrigger}) AS o) END`;

/**
 * Requests a decision on the jobs with an open trigger that may wait for checks of these scopes. Returns
 * whether there are such jobs.
 */
export async function wakeTriggers(connection: Transaction, scopes: readonly number[]): Promise<boolean> {
  if (scopes.length === 0) return false;
  const jobs = await connection.anyFirst(
    rows<{ id: number }>()`${requestSchedule(sql.fragment`
      SELECT m.job_id FROM resources r JOIN job_gets g ON g.resource_id = r.id AND g.passed = '{}'
      JOIN job_triggers m ON m.job_id = g.job_id AND m.check_until IS NOT NULL AND ${OPEN}
      WHERE r.scope_id = ANY(${ids(scopes)})`)}`,
  );
  return jobs.length > 0;
}

/** Requests a decision on the jobs with a trigger whose wait is over, unless one is requested already. */
export async function wakeLateTriggers(connection: Pick<Transaction, 'query'>): Promise<void> {
  await connection.query(
    rows()`${requestSchedule(sql.fragment`
      SELECT j.id FROM job_triggers m JOIN jobs j ON j.id = m.job_id AND j.schedule_requested <= j.last_scheduled
      WHERE m.check_until <= now() AND ${OPEN}`)}`,
  );
}
