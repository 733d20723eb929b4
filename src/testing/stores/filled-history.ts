import type { DatabasePool } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';

/**
 * Fills tables without checking foreign keys, because the checks take most of the time. Then updates the
 * planner's statistics.
 */
export async function fillTables(
  pool: DatabasePool,
  fill: (connection: Transaction) => Promise<void>,
): Promise<void> {
  await pool.transaction(async (connection) => {
    await connection.query(rows()`SELECT set_config('session_replication_role', 'replica', true)`);
    await fill(connection);
  });
  await pool.query(rows()`ANALYZE`);
}

/** Creates equal numbers of builds of `unit` and versions of `git.app`; two thirds of the builds are good. */
export async function fillWithHistory(pool: DatabasePool, builds: number, at: Date): Promise<void> {
  await fillTables(pool, async (connection) => await insertHistory(connection, builds, at));
}

async function insertHistory(connection: Transaction, builds: number, at: Date): Promise<void> {
  const createdAt = at.toISOString();
  await connection.query(rows()`
    INSERT INTO versions (scope_id, digest, fields, found_at)
    SELECT s.id, sha256(n::text::bytea), jsonb_build_object('ref', n), ${createdAt}
    FROM check_scopes s, generate_series(1, ${builds}) n ORDER BY n`);
  await connection.query(rows()`
    INSERT INTO builds (job_id, revision_id, number, cause, created_at, status, wants_pod, ended_at)
    SELECT j.id, r.id, n, '{}', ${createdAt}, CASE n % 3 WHEN 0 THEN 'failed' ELSE 'succeeded' END, false, ${createdAt}
    FROM jobs j, revisions r, generate_series(1, ${builds}) n WHERE j.name = 'unit' ORDER BY n`);
  await connection.query(rows()`
    INSERT INTO build_attempts (build_id, attempt, created_at) SELECT id, 1, created_at FROM builds`);
  await connection.query(rows()`
    INSERT INTO build_steps (build_id, attempt, position, step, kind, name, status)
    SELECT id, 1, 0, '0', 'get', 'git.app', 'succeeded' FROM builds`);
  await connection.query(rows()`
    INSERT INTO build_inputs (build_id, position, job_id, name, resource_id, version_id)
    SELECT b.id, 0, b.job_id, 'app', r.id, v.id FROM builds b
    JOIN versions v ON v.fields ->> 'ref' = b.number::text, resources r`);
  await connection.query(rows()`
    INSERT INTO good_versions (job_id, resource_id, version_id, build_id)
    SELECT i.job_id, i.resource_id, i.version_id, i.build_id
    FROM build_inputs i JOIN builds b ON b.id = i.build_id WHERE b.status = 'succeeded'`);
  await connection.query(rows()`UPDATE jobs SET next_number = ${builds + 1} WHERE name = 'unit'`);
  await connection.query(rows()`UPDATE job_gets SET dealt_with = (SELECT max(id) FROM versions)`);
}

/** How many rows sequential scans have read, by table. The pool must have only one connection. */
export async function rowsScanned(
  pool: DatabasePool,
  tables: readonly string[],
): Promise<Map<string, number>> {
  return await countRows(pool, tables, 'scanned');
}

/** How many rows were fetched by index, by table. The pool must have only one connection. */
export async function rowsFetched(
  pool: DatabasePool,
  tables: readonly string[],
): Promise<Map<string, number>> {
  return await countRows(pool, tables, 'fetched');
}

async function countRows(
  pool: DatabasePool,
  tables: readonly string[],
  column: 'scanned' | 'fetched',
): Promise<Map<string, number>> {
  await pool.query(rows()`SELECT pg_stat_force_next_flush()`);
  const counts = await pool.any(rows<{ name: string; scanned: number; fetched: number }>()`
    SELECT relname AS name, seq_tup_read AS scanned, coalesce(idx_tup_fetch, 0) AS fetched FROM pg_stat_user_tables`);
  return new Map(
    counts.filter(({ name }) => tables.includes(name)).map((table) => [table.name, table[column]]),
  );
}
