import { sql } from 'slonik';
import { IS_AUTOMATIC } from '#adapters/database/builds/scheduling/automatic-cause.ts';
import { stopBuilds } from '#adapters/database/builds/scheduling/stop-builds.ts';
import { lockJobs, requestSchedule } from '#adapters/database/checks/request-schedule.ts';
import { NEWEST_FIRST, ofScope } from '#adapters/database/checks/versions-in-order.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids, rows, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import { MAX_PASSED_VERSIONS } from '#domain/scheduling/facts.ts';
import type { PinTransaction, UnpinnedGet, UnstartedBuild } from '#flows/builds/action-ports.ts';

/** SQL: ids of the jobs that get the resource. */
const jobsThatGet = (resource: number) =>
  sql.fragment`SELECT job_id FROM job_gets WHERE resource_id = ${resource}`;

/** The caller must hold the pipeline's lock. */
export function pinTransaction(connection: Transaction): PinTransaction {
  return {
    async pin({ resource, version, wanted, by, comment }, at) {
      await lockJobs(connection, jobsThatGet(resource));
      await connection.query(rows()`
        UPDATE resources SET pinned_version = ${version ?? null}, pinned_by = ${by}, pinned_at = ${timestamp(at)},
          pin_comment = ${comment ?? null}, pin_wanted = ${wanted === undefined ? null : JSON.stringify(wanted)}::jsonb
        WHERE id = ${resource}`);
    },
    async unpin(resource) {
      await lockJobs(connection, jobsThatGet(resource));
      await connection.query(rows()`
        UPDATE resources SET pinned_version = NULL, pinned_by = NULL, pinned_at = NULL, pin_comment = NULL,
          pin_wanted = NULL
        WHERE id = ${resource}`);
    },
    unstartedBuilds: async (resource) => await buildsBeforeStart(connection, resource),
    endUnstarted: async (builds, ending) => await endAndFreeVersions(connection, builds, ending),
    getsOf: async (resource) => await unpinnedGets(connection, resource),
    async saveFloors(floors) {
      const floorRows = floors.map(({ job, position, floor }) => ({ job, position, floor }));
      await connection.query(rows()`
        UPDATE job_gets g SET floor = n.floor
        FROM jsonb_to_recordset(${sql.jsonb(floorRows)}) AS n (job bigint, position integer, floor bigint)
        WHERE g.job_id = n.job AND g.position = n.position`);
    },
    async requestDecision(resource) {
      await connection.query(rows()`${requestSchedule(jobsThatGet(resource))}`);
    },
  };
}

/**
 * Ends the given builds that have not started, and marks their versions as unused again. Returns the ended
 * builds.
 */
export async function endAndFreeVersions(
  connection: Transaction,
  builds: readonly number[],
  ending: { by: string | null; message: string; at: Date },
): Promise<number[]> {
  if (builds.length === 0) return [];
  const ended = await connection.anyFirst(rows<{ id: number }>()`
    WITH ended AS (
      ${stopBuilds(sql.fragment`id = ANY(${ids(builds)}) AND status IN ('pending', 'waiting')`, ending)})
    SELECT id FROM ended`);
  await freeVersions(connection, ended);
  return [...ended];
}

async function buildsBeforeStart(connection: Transaction, resource: number): Promise<UnstartedBuild[]> {
  const found = await connection.any(rows<UnstartedBuild>()`
    SELECT b.id, b.status, ${IS_AUTOMATIC} AS automatic, (
        SELECT jsonb_agg(jsonb_build_object('resource', i.resource_id, 'version', i.version_id))
        FROM build_inputs i WHERE i.build_id = b.id) AS inputs
    FROM resources r JOIN jobs j ON j.pipeline_id = r.pipeline_id JOIN builds b ON b.job_id = j.id
    WHERE r.id = ${resource} AND b.ended_at IS NULL AND b.status IN ('pending', 'waiting')
      AND EXISTS (SELECT 1 FROM build_inputs i WHERE i.build_id = b.id AND i.resource_id = r.id)`);
  return [...found];
}

/**
 * Marks the versions that the builds took as unused. They may trigger again, so `settled` moves back before
 * them.
 */
async function freeVersions(connection: Transaction, builds: readonly number[]): Promise<void> {
  if (builds.length === 0) return;
  await connection.query(rows()`
    WITH unused AS (UPDATE build_inputs SET used = false WHERE build_id = ANY(${ids(builds)})
      RETURNING job_id, resource_id, version_id),
    oldest AS (SELECT job_id, resource_id, min(version_id) AS version FROM unused GROUP BY 1, 2)
    UPDATE job_gets g SET settled = least(g.settled, o.version - 1) FROM oldest o
    WHERE g.job_id = o.job_id AND g.resource_id = o.resource_id`);
}

async function unpinnedGets(connection: Transaction, resource: number): Promise<UnpinnedGet[]> {
  const gets = await connection.any(rows<GetRow>()`
    SELECT g.job_id AS job, g.position, g.trigger, g.every, g.floor, CASE
      WHEN NOT (g.trigger AND g.every) THEN NULL
      WHEN g.passed = '{}' THEN (
        SELECT place FROM versions WHERE ${ofScope(sql.fragment`r.scope_id`)} AND NOT disabled ${NEWEST_FIRST} LIMIT 1)
      ELSE (
        SELECT n.place FROM (
          SELECT version_id, place FROM good_versions WHERE job_id = g.passed[1] AND scope_id = r.scope_id
          ORDER BY place DESC LIMIT ${MAX_PASSED_VERSIONS}) AS n JOIN versions v ON v.id = n.version_id
        WHERE NOT v.disabled AND (
          SELECT bool_and(EXISTS (SELECT 1 FROM good_versions o
            WHERE o.job_id = u.job AND o.resource_id = r.id AND o.version_id = n.version_id))
          FROM unnest(g.passed) AS u (job))
        ORDER BY n.place DESC LIMIT 1) END AS "newestReady"
    FROM job_gets g JOIN resources r ON r.id = g.resource_id WHERE g.resource_id = ${resource}`);
  return gets.map(({ newestReady, ...get }) => ({
    ...get,
    ...withoutNulls({ newestReady }),
  }));
}

type GetRow = Omit<UnpinnedGet, 'newestReady'> & { newestReady: number | null };
