import { sql, type FragmentSqlToken } from 'slonik';
import { storableFields } from '#domain/build/storable.ts';
import { HOLD_SECONDS } from '#domain/scheduling/reachable-hooks.ts';
import { versionDigest } from './digests.ts';
import { rows, texts, time, type Transaction } from './pool.ts';

/**
 * Adds those of the versions that the scope does not know, in order, and asks for a decision on the jobs that take them ungated.
 * The caller holds the scope, so ids within a scope grow in the order of commits.
 */
export async function addVersions(
  connection: Transaction,
  scope: number,
  versions: Record<string, string>[],
  { at, build = null }: { at: Date; build?: number | null },
): Promise<number[]> {
  if (versions.length === 0) return [];
  const clean = versions.map(storableFields);
  const known = await connection.anyFirst(rows<{ id: number }>()`
    WITH added AS (
      INSERT INTO versions (scope_id, digest, fields, found_at, build_id)
      SELECT ${scope}, decode(n.digest, 'hex'), n.fields::jsonb, ${time(at)}, ${build}::bigint
      FROM unnest(${texts(clean.map((fields) => versionDigest(fields).toString('hex')))},
        ${texts(clean.map((fields) => JSON.stringify(fields)))}) WITH ORDINALITY AS n (digest, fields, position)
      WHERE NOT EXISTS (SELECT 1 FROM versions v WHERE v.scope_id = ${scope} AND v.digest = decode(n.digest, 'hex'))
      ORDER BY n.position
      ON CONFLICT DO NOTHING
      RETURNING id, fields),
    -- What the manifest pins the resource to may be among them.
    pinned AS (
      UPDATE resources r SET pinned_version = (SELECT max(a.id) FROM added a WHERE a.fields @> r.pin_wanted)
      WHERE r.scope_id = ${scope} AND r.pin_wanted IS NOT NULL AND r.pinned_version IS NULL),
    ${holdForHooks(scope, at)}
    asked AS (
      ${requestSchedule(sql.fragment`SELECT g.job_id FROM job_gets g JOIN resources r ON r.id = g.resource_id
        WHERE r.scope_id = ${scope} AND g.passed = '{}' AND EXISTS (SELECT 1 FROM added)`)})
    SELECT id FROM added ORDER BY id`);
  return [...known];
}

/**
 * What was added waits for the hooks that it fires. By the database's own clock, as whoever reads it: an agent's, whose put this may be,
 * could be wrong.
 */
function holdForHooks(scope: number, at: Date): FragmentSqlToken {
  return sql.fragment`
    hooked AS (
      INSERT INTO check_runs (pipeline_id, revision_id, check_group, cause, opened_at)
      SELECT p.id, v.id, 'on-trigger', 'version', ${time(at)}
      FROM resources r JOIN pipelines p ON p.id = r.pipeline_id AND p.deleted_at IS NULL
      JOIN revisions v ON v.pipeline_id = p.id AND v.number = p.revision
      WHERE r.scope_id = ${scope} AND r.hooks AND r.deleted_at IS NULL AND EXISTS (SELECT 1 FROM added)
      RETURNING id),
    held AS (
      INSERT INTO hook_runs (run_id, resource_id, first_version, last_version, held_until)
      SELECT h.id, r.id, (SELECT min(id) FROM added), (SELECT max(id) FROM added), now() + ${HOLD_SECONDS} * interval '1 second'
      FROM hooked h, resources r WHERE r.scope_id = ${scope}),`;
}

/** An UPDATE that asks for a decision on these jobs; rows are taken in one order, so that two such requests cannot deadlock. */
export function requestSchedule(jobs: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    UPDATE jobs SET schedule_requested = schedule_requested + 1
    WHERE id IN (SELECT id FROM jobs WHERE id IN (${jobs}) AND deleted_at IS NULL ORDER BY id FOR UPDATE)`;
}
