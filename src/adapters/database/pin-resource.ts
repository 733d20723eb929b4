import { sql } from 'slonik';
import { floorAfterUnpin } from '#domain/scheduling/baselines.ts';
import { cancelledByDisable, cancelledByPin, type Status } from '#domain/scheduling/build-changes.ts';
import { MOST_PASSED, type Taken } from '#domain/scheduling/facts.ts';
import { endUnstarted } from './end-unstarted.ts';
import { ids, rows, time, type Transaction } from './pool.ts';
import { requestSchedule } from './record-versions.ts';
import { NEWEST_FIRST, ofScope } from './versions-in-order.ts';

export interface PinToWrite {
  resource: number;
  /** Absent: the manifest wants a version that no check has found yet. */
  version?: number;
  wanted?: Record<string, string>;
  by: string;
  comment?: string;
}

/**
 * Pins, and ends the builds that have not started with another version. They used nothing: once the pin is gone their versions may trigger
 * again. The caller holds the pipeline's lock. Answers the builds that ended.
 */
export async function writePin(
  connection: Transaction,
  { resource, version, wanted, by, comment }: PinToWrite,
  at: Date,
): Promise<number[]> {
  await connection.query(rows()`
    UPDATE resources SET pinned_version = ${version ?? null}, pinned_by = ${by}, pinned_at = ${time(at)},
      pin_comment = ${comment ?? null}, pin_wanted = ${wanted === undefined ? null : JSON.stringify(wanted)}::jsonb
    WHERE id = ${resource}`);
  const unstarted = await buildsBeforeStart(connection, resource);
  const cancelled = cancelledByPin({ resource, version: version ?? 0 }, unstarted);
  const reason = 'The resource was pinned to another version.';
  const ended = await giveBack(connection, cancelled, { by, reason, at });
  await connection.query(rows()`${requestSchedule(takersOf(resource))}`);
  return ended;
}

/** Disables a version, and ends the automatic builds that have not started with it. The caller holds the pipeline's lock. */
export async function writeDisabled(
  connection: Transaction,
  { resource, version, by }: { resource: number; version: number; by: string },
  at: Date,
): Promise<number[]> {
  await connection.query(rows()`
    UPDATE versions SET disabled = true, disabled_by = ${by} WHERE id = ${version} AND NOT disabled`);
  const cancelled = cancelledByDisable({ resource, version }, await buildsBeforeStart(connection, resource));
  const ended = await giveBack(connection, cancelled, { by, reason: 'The version was disabled.', at });
  await connection.query(rows()`${requestSchedule(takersOf(resource))}`);
  return ended;
}

/** Ends builds that have not started: they used nothing. Answers those that had not started by now either. */
export async function giveBack(
  connection: Transaction,
  builds: readonly number[],
  why: { by: string | null; reason: string; at: Date },
): Promise<number[]> {
  if (builds.length === 0) return [];
  const ended = await connection.anyFirst(rows<{ id: number }>()`
    WITH ended AS (
      ${endUnstarted(sql.fragment`id = ANY(${ids(builds)}) AND status IN ('pending', 'waiting')`, why)})
    SELECT id FROM ended`);
  await forgetUse(connection, ended);
  return [...ended];
}

interface Unstarted {
  id: number;
  status: Status;
  automatic: boolean;
  inputs: Taken[];
}

async function buildsBeforeStart(connection: Transaction, resource: number): Promise<Unstarted[]> {
  const found = await connection.any(rows<Unstarted>()`
    SELECT b.id, b.status, b.cause ->> 'kind' IN ('version', 'passed', 'ready') AS automatic, (
        SELECT jsonb_agg(jsonb_build_object('resource', i.resource_id, 'version', i.version_id))
        FROM build_inputs i WHERE i.build_id = b.id) AS inputs
    FROM resources r JOIN jobs j ON j.pipeline_id = r.pipeline_id JOIN builds b ON b.job_id = j.id
    WHERE r.id = ${resource} AND b.ended_at IS NULL AND b.status IN ('pending', 'waiting')
      AND EXISTS (SELECT 1 FROM build_inputs i WHERE i.build_id = b.id AND i.resource_id = r.id)`);
  return [...found];
}

/** What they took may trigger again; the marks of `settled` go back before it. */
async function forgetUse(connection: Transaction, builds: readonly number[]): Promise<void> {
  if (builds.length === 0) return;
  await connection.query(rows()`
    WITH unused AS (UPDATE build_inputs SET used = false WHERE build_id = ANY(${ids(builds)}) RETURNING job_id, resource_id, version_id),
    oldest AS (SELECT job_id, resource_id, min(version_id) AS version FROM unused GROUP BY 1, 2)
    UPDATE job_gets g SET settled = least(g.settled, o.version - 1) FROM oldest o
    WHERE g.job_id = o.job_id AND g.resource_id = o.resource_id`);
}

const takersOf = (resource: number) =>
  sql.fragment`SELECT job_id FROM job_gets WHERE resource_id = ${resource}`;

interface GetRow {
  job: number;
  position: number;
  trigger: boolean;
  every: boolean;
  floor: number;
  newestReady: number | null;
}

/** Of the versions that came while it was pinned the latest that is ready may trigger. The caller holds the pipeline's lock. */
export async function writeUnpin(connection: Transaction, resource: number): Promise<void> {
  await connection.query(rows()`
    UPDATE resources SET pinned_version = NULL, pinned_by = NULL, pinned_at = NULL, pin_comment = NULL, pin_wanted = NULL
    WHERE id = ${resource}`);
  const gets = await connection.any(rows<GetRow>()`
    SELECT g.job_id AS job, g.position, g.trigger, g.every, g.floor, CASE
      WHEN NOT (g.trigger AND g.every) THEN NULL
      WHEN g.passed = '{}' THEN (
        SELECT place FROM versions WHERE ${ofScope(sql.fragment`r.scope_id`)} AND NOT disabled ${NEWEST_FIRST} LIMIT 1)
      ELSE (
        SELECT n.place FROM (
          SELECT version_id, place FROM good_versions WHERE job_id = g.passed[1] AND scope_id = r.scope_id
          ORDER BY place DESC LIMIT ${MOST_PASSED}) AS n JOIN versions v ON v.id = n.version_id
        WHERE NOT v.disabled AND (
          SELECT bool_and(EXISTS (SELECT 1 FROM good_versions o
            WHERE o.job_id = u.job AND o.resource_id = r.id AND o.version_id = n.version_id))
          FROM unnest(g.passed) AS u (job))
        ORDER BY n.place DESC LIMIT 1) END AS "newestReady"
    FROM job_gets g JOIN resources r ON r.id = g.resource_id WHERE g.resource_id = ${resource}`);
  const counted = gets.map(({ newestReady, ...get }) => ({
    job: get.job,
    position: get.position,
    floor: floorAfterUnpin({ ...get, ...(newestReady === null ? {} : { newestReady }) }),
  }));
  await connection.query(rows()`
    UPDATE job_gets g SET floor = n.floor
    FROM jsonb_to_recordset(${sql.jsonb(counted)}) AS n (job bigint, position integer, floor bigint)
    WHERE g.job_id = n.job AND g.position = n.position`);
  await connection.query(rows()`${requestSchedule(takersOf(resource))}`);
}
