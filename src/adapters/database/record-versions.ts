import { sql, type FragmentSqlToken } from 'slonik';
import { storableFields } from '#domain/build/storable.ts';
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
    asked AS (
      ${requestSchedule(sql.fragment`SELECT g.job_id FROM job_gets g JOIN resources r ON r.id = g.resource_id
        WHERE r.scope_id = ${scope} AND g.passed = '{}' AND EXISTS (SELECT 1 FROM added)`)})
    SELECT id FROM added ORDER BY id`);
  return [...known];
}

/** An UPDATE that asks for a decision on these jobs; rows are taken in one order, so that two such requests cannot deadlock. */
export function requestSchedule(jobs: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    UPDATE jobs SET schedule_requested = schedule_requested + 1
    WHERE id IN (SELECT id FROM jobs WHERE id IN (${jobs}) AND deleted_at IS NULL ORDER BY id FOR UPDATE)`;
}
