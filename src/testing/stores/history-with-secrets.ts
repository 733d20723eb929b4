import { rows } from '#adapters/database/connection/pool.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import type { TestStores } from './stores.ts';

/**
 * The history of a `pipelineWithSecrets`: a failed and a running build of `unit`, a version, a pin and a
 * check, with secrets in the texts that people, forges, programs and workers could have written.
 */
export async function writeHistoryWithSecrets(
  { pool, checks }: Pick<TestStores, 'pool' | 'checks'>,
  saved: SavedPipeline,
  secret: () => string,
): Promise<{ version: number }> {
  const at = new Date(Date.now() + 365 * 24 * 60 * 60 * 1000);
  const scope = saved.resources[0]?.scope ?? 0;
  const opened = await checks.openRun([scope], 'schedule', at);
  const fields = { ref: secret(), url: `https://user:${secret()}@git.example.test`, author: secret() };
  const checkResult = { run: opened?.run ?? 0, scope, versions: [fields], log: secret() };
  const { recorded } = await checks.recordCheck(checkResult, at);
  const version = recorded[0] ?? 0;
  await pool.query(rows()`
    UPDATE check_scopes SET last_error = ${secret()}, last_log = ${secret()}, held_reason = ${secret()}
      WHERE id = ${scope}`);
  await pool.query(rows()`
    UPDATE resources SET pinned_version = ${version}, pinned_by = ${secret()}, pinned_at = now(),
      pin_comment = ${secret()}
    WHERE scope_id = ${scope}`);
  await pool.query(rows()`UPDATE jobs SET paused_by = ${secret()} WHERE pipeline_id = ${saved.id}`);
  await pool.query(
    rows()`UPDATE pipelines SET display_name = ${secret()}, paused_by = ${secret()} WHERE id = ${saved.id}`,
  );
  await pool.query(rows()`
    INSERT INTO builds (job_id, revision_id, number, status, cause, created_at, started_at, ended_at,
      reason, message, pending_reason,
      cancelled_by, cancel_reason, warned_by)
    SELECT j.id, v.id, n.number, n.status, jsonb_build_object('by', ${secret()}::text),
    '2026-11-20T10:00:00Z', '2026-11-20T10:00:01Z',
      CASE WHEN n.status <> 'started' THEN timestamptz '2026-11-20T10:00:03Z' END, ${secret()},
      ${secret()}, ${secret()}, ${secret()},
      ${secret()}, ${secret()}
    FROM jobs j JOIN revisions v ON v.pipeline_id = j.pipeline_id
    CROSS JOIN (VALUES (1, 'failed'), (2, 'started')) AS n (number, status)
    WHERE j.pipeline_id = ${saved.id} AND j.name = 'unit'`);
  await pool.query(rows()`
    INSERT INTO build_attempts (build_id, attempt, created_at, reason)
    SELECT b.id, 1, b.created_at, ${secret()} FROM builds b JOIN jobs j ON j.id = b.job_id
    WHERE j.pipeline_id = ${saved.id}`);
  await pool.query(rows()`
    INSERT INTO build_steps (build_id, attempt, position, step, kind, name, resource, status, started_at,
      ended_at, exit_code, message)
    SELECT b.id, 1, n.position, n.position::text, n.kind, n.name, n.resource, 'failed', b.started_at,
    b.ended_at, 3, ${secret()}
    FROM builds b JOIN jobs j ON j.id = b.job_id
    CROSS JOIN (VALUES (0, 'get', 'git.app', 'git.app'), (1, 'task', 'test', NULL)) AS n (position, kind,
    name, resource)
    WHERE j.pipeline_id = ${saved.id}`);
  await pool.query(rows()`
    INSERT INTO build_inputs (build_id, position, job_id, name, resource_id, version_id)
    SELECT b.id, 0, b.job_id, 'app', r.id, ${version}
    FROM builds b JOIN jobs j ON j.id = b.job_id JOIN resources r ON r.pipeline_id = j.pipeline_id
    AND r.name = 'git.app'
    WHERE j.pipeline_id = ${saved.id}`);
  return { version };
}
