import { withEpoch } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids, prepared, textArray, type Database } from '#adapters/database/connection/pool.ts';
import { BUILD_COLUMNS, BUILD_JOINS, type BuildRow } from '#adapters/database/revisions/build-rows.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import type { PendingBuild, StartingBuildPod } from '#flows/pods/workloads.ts';

/**
 * Returns up to `limit` builds that have their turn, need a Pod and do not wait after a refusal: the oldest
 * of each team, then the second of each, and so on. Walks from job to job along an index and reads up to
 * `limit` builds of each job, so a long queue costs no more than a short one. If definitions are large, it
 * returns fewer builds: call it again for the others.
 */
export async function buildsToStart(
  { pool, definitions }: Database & { definitions: Definitions },
  limit: number,
  exceptNamespaces: string[] = [],
): Promise<PendingBuild[]> {
  const builds = await pool.any(prepared<BuildRow>('builds_to_start')`
    WITH RECURSIVE wanting (job) AS (
      (SELECT job_id FROM builds WHERE wants_pod ORDER BY job_id LIMIT 1)
      UNION ALL
      SELECT (SELECT b.job_id FROM builds b WHERE b.wants_pod AND b.job_id > w.job ORDER BY b.job_id LIMIT 1)
      FROM wanting w WHERE w.job IS NOT NULL),
    oldest AS (
      SELECT o.id, row_number() OVER (PARTITION BY p.team_id ORDER BY o.id) AS place
      FROM wanting w JOIN jobs j ON j.id = w.job JOIN pipelines p ON p.id = j.pipeline_id
      CROSS JOIN LATERAL (
        SELECT b.id FROM builds b
        WHERE b.job_id = w.job AND b.wants_pod AND b.admitted_at IS NOT NULL
          AND (b.start_after IS NULL OR b.start_after <= now())
        ORDER BY b.id LIMIT ${limit}) AS o
      WHERE p.namespace <> ALL(${textArray(exceptNamespaces)})),
    -- Limited before the join, so that Postgres expects few rows and scans no table.
    first AS MATERIALIZED (SELECT id, place FROM oldest ORDER BY place, id LIMIT ${limit})
    SELECT ${BUILD_COLUMNS} FROM first f JOIN builds b ON b.id = f.id ${BUILD_JOINS} ORDER BY f.place, b.id`);
  if (builds.length === 0) return [];
  const parts = await definitions.parts(pool, builds);
  return builds.flatMap(({ revision: _revision, defaultTimeoutSeconds, ...build }, index) => {
    const definition = parts[index];
    return definition === undefined
      ? []
      : { ...build, ...withoutNulls({ defaultTimeoutSeconds }), definition };
  });
}

/** Returns the Pods of builds whose agent has not opened its session, and warm Pods that are not ready. */
export async function startingPods({ pool }: Database): Promise<StartingBuildPod[]> {
  const found = await pool.any(prepared<StartingBuildPod>('starting_pods')`
    SELECT t.name AS team, a.pod_uid AS "podUid", a.pod_created_at AS "podCreatedAt"
    FROM builds b ${BUILD_JOINS} JOIN build_attempts a ON a.build_id = b.id AND a.attempt = b.attempt
    WHERE b.admitted_at IS NOT NULL AND b.ended_at IS NULL AND b.status = 'pending' AND NOT b.wants_pod
      AND a.pod_uid IS NOT NULL AND a.pod_created_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM agent_sessions s WHERE s.build_id = b.id AND s.attempt = b.attempt)
    UNION ALL
    SELECT t.name, w.pod_uid, w.created_at FROM warm_pods w JOIN teams t ON t.id = w.team_id
    WHERE w.state = 'creating' AND w.pod_uid IS NOT NULL`);
  return [...found];
}

/**
 * Stores why these builds have no Pod yet. Writes a reason only if its code changes, not if only numbers in
 * its text change. Does not delay the builds: the next `buildsToStart` returns them again.
 */
export async function explainHeld(
  database: Database,
  held: readonly { build: number; code: string; reason: string }[],
): Promise<number[]> {
  const explain = prepared<{ id: number }>('explain_held')`
    WITH locked AS MATERIALIZED (
      SELECT b.id, n.reason FROM builds b
      JOIN unnest(${ids(held.map(({ build }) => build))}, ${textArray(held.map(({ code }) => `${code}: %`))},
        ${textArray(held.map(({ code, reason }) => `${code}: ${reason}`))}) AS n (id, same_code, reason) ON n.id = b.id
      WHERE b.wants_pod AND coalesce(b.pending_reason, '') NOT LIKE n.same_code ORDER BY b.id FOR NO KEY UPDATE OF b)
    UPDATE builds b SET pending_reason = l.reason FROM locked l WHERE b.id = l.id RETURNING b.id`;
  return [...(await withEpoch(database, async (connection) => await connection.anyFirst(explain)))];
}
