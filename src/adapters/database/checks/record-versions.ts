import { sql, type FragmentSqlToken } from 'slonik';
import { versionDigest } from '#adapters/crypto/digests.ts';
import { rows, textArray, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import { storableFields } from '#domain/build/storable.ts';
import { MAX_HOOK_WAIT_SECONDS } from '#domain/scheduling/reachable-hooks.ts';
import type { VersionsAdded } from '#flows/checks/ports.ts';
import { moveVersions, type MovedVersion } from './move-versions.ts';
import { requestSchedule } from './request-schedule.ts';

/**
 * Adds the versions that the scope does not have yet and requests a decision on the jobs that take them. If
 * any version is new, all versions end up in the given order, with the last one as the newest. Leading
 * versions that the scope already has in this order keep their places. The caller must hold the lock of the
 * scope, so that the ids in a scope grow in commit order.
 */
export async function addVersions(
  connection: Transaction,
  scope: number,
  versions: Record<string, string>[],
  { at, build = null }: { at: Date; build?: number | null },
): Promise<VersionsAdded> {
  const distinctVersions = lastOfEach(versions.map(storableFields));
  if (distinctVersions.length === 0) return { added: [], different: 0 };
  const digests = textArray(distinctVersions.map(({ digest }) => digest));
  const fieldTexts = textArray(distinctVersions.map(({ fields }) => fields));
  const { added, moved } = await connection.one(rows<{ added: number[]; moved: MovedVersion[] }>()`
    WITH candidates AS MATERIALIZED (
      SELECT n.position, decode(n.digest, 'hex') AS digest, n.fields::jsonb AS fields, v.id, v.place,
        max(v.place) OVER (ORDER BY n.position ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS newest_before
      FROM unnest(${digests}, ${fieldTexts})
        WITH ORDINALITY AS n (digest, fields, position)
      LEFT JOIN versions v ON v.scope_id = ${scope} AND v.digest = decode(n.digest, 'hex')),
    -- The versions from the first one that is new or out of order, each with its next place. For a new
    -- version, that is also the id: the database trigger place_version copies the id into the place.
    to_place AS MATERIALIZED (
      SELECT p.*, nextval(pg_get_serial_sequence('versions', 'id')) AS next FROM (
        SELECT * FROM candidates WHERE EXISTS (SELECT 1 FROM candidates WHERE id IS NULL)
          AND position >= (SELECT min(position) FROM candidates WHERE id IS NULL OR place < newest_before)
        ORDER BY position) AS p),
    added AS (
      INSERT INTO versions (id, scope_id, digest, fields, found_at, build_id) OVERRIDING SYSTEM VALUE
      SELECT next, ${scope}, digest, fields, ${timestamp(at)}, ${build}::bigint FROM to_place WHERE id IS NULL
        ORDER BY position
      RETURNING id, fields, digest),
    -- The version to which the manifest pins the resource may be among the added ones.
    pinned AS (
      UPDATE resources r SET pinned_version = (SELECT max(a.id) FROM added a WHERE a.fields @> r.pin_wanted)
      WHERE r.scope_id = ${scope} AND r.pin_wanted IS NOT NULL AND r.pinned_version IS NULL),
    -- The version that a person pinned while the resource had another scope may be among them too.
    found_again AS (
      UPDATE resources r SET pinned_version = a.id FROM added a, versions p
      WHERE r.scope_id = ${scope} AND p.id = r.pinned_version AND p.scope_id <> ${scope} AND p.digest = a.digest),
    ${holdForHooks(scope, at)}
    -- A get with passed cannot take a version that was just added, but perhaps one that moved.
    requested AS (
      ${requestSchedule(sql.fragment`SELECT g.job_id FROM job_gets g JOIN resources r ON r.id = g.resource_id
        WHERE r.scope_id = ${scope} AND EXISTS (SELECT 1 FROM added)
          AND (g.passed = '{}' OR EXISTS (SELECT 1 FROM to_place WHERE id IS NOT NULL))`)})
    SELECT to_jsonb(ARRAY(SELECT id FROM added ORDER BY id)) AS added,
      coalesce((SELECT jsonb_agg(jsonb_build_object('id', id, 'place', next)) FROM to_place WHERE id IS NOT NULL),
        '[]') AS moved`);
  if (moved.length > 0) await moveVersions(connection, moved);
  return { added, different: distinctVersions.length };
}

/** Drops repeated versions: of equal ones, the last stays. */
function lastOfEach(versions: Record<string, string>[]): { digest: string; fields: string }[] {
  const byDigest = new Map<string, string>();
  for (const version of versions) {
    const digest = versionDigest(version).toString('hex');
    byDigest.delete(digest);
    byDigest.set(digest, JSON.stringify(version));
  }
  return [...byDigest].map(([digest, fields]) => ({ digest, fields }));
}

/**
 * SQL: holds the added versions until their hooks end. The time limit comes from the database's clock, which
 * the readers of `held_until` use too. `at` may come from an agent, whose clock may be wrong.
 */
function holdForHooks(scope: number, at: Date): FragmentSqlToken {
  return sql.fragment`
    hooked AS (
      INSERT INTO check_runs (pipeline_id, revision_id, check_group, cause, opened_at)
      SELECT p.id, v.id, 'on-trigger', 'version', ${timestamp(at)}
      FROM resources r JOIN pipelines p ON p.id = r.pipeline_id AND p.deleted_at IS NULL
      JOIN revisions v ON v.pipeline_id = p.id AND v.number = p.revision
      WHERE r.scope_id = ${scope} AND r.hooks AND r.deleted_at IS NULL AND EXISTS (SELECT 1 FROM added)
      RETURNING id),
    held AS (
      INSERT INTO hook_runs (run_id, resource_id, first_version, last_version, held_until)
      SELECT h.id, r.id, (SELECT min(id) FROM added), (SELECT max(id) FROM added),
        now() + ${MAX_HOOK_WAIT_SECONDS} * interval '1 second'
      FROM hooked h, resources r WHERE r.scope_id = ${scope}),`;
}
