import { sql, type DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids, rows } from '#adapters/database/connection/pool.ts';
import type { ResourceName } from '#flows/names.ts';
import type { BuildOrigin, ShownCause, UsingBuild, VersionUse } from '#flows/views/use-ports.ts';
import { pipelineId } from './pipeline-id.ts';

/** Limit of the builds of one version, the newest first. */
const MAX_BUILDS = 100;

/** SQL: the build `b` of job `j` as an object. */
const BUILD_JSON = sql.fragment`jsonb_build_object('job', j.name, 'status', b.status,
  'number', CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END)`;

export async function viewVersionUses(
  pool: DatabasePool,
  { resource, ...name }: ResourceName,
  versions: readonly number[],
): Promise<VersionUse[]> {
  const pipeline = await pipelineId(pool, name);
  if (pipeline === undefined || versions.length === 0) return [];
  const found = await pool.any(rows<VersionUse & { madeBy: UsingBuild | null }>()`
    SELECT n.version, (
        SELECT ${BUILD_JSON} FROM versions v JOIN builds b ON b.id = v.build_id JOIN jobs j ON j.id = b.job_id
        WHERE v.id = n.version AND j.pipeline_id = ${pipeline}) AS "madeBy",
      coalesce((SELECT jsonb_agg(newest.shown ORDER BY newest.position, newest.job) FROM (
        SELECT DISTINCT ON (j.id) j.id AS job, j.position, ${BUILD_JSON} AS shown
        FROM (${NEWEST_TAKERS}) AS taken JOIN builds b ON b.id = taken.build_id
        JOIN jobs j ON j.id = b.job_id AND j.pipeline_id = ${pipeline}
        ORDER BY j.id, b.id DESC) AS newest), '[]') AS builds,
      coalesce((SELECT s.metadata FROM (${NEWEST_TAKERS}) AS taken JOIN builds b ON b.id = taken.build_id
        JOIN build_steps s ON s.build_id = b.id AND s.attempt = b.attempt
        WHERE s.resource = ${resource} AND s.kind = 'get' AND s.metadata IS NOT NULL
        ORDER BY b.id DESC LIMIT 1), '[]') AS metadata
    FROM unnest(${ids(versions)}) AS n (version)`);
  return found.map(withoutNulls);
}

/** SQL: the newest builds that took the version `n.version`. */
const NEWEST_TAKERS = sql.fragment`SELECT DISTINCT i.build_id FROM build_inputs i
  WHERE i.version_id = n.version ORDER BY i.build_id DESC LIMIT ${MAX_BUILDS}`;

interface OriginRow {
  build: number;
  kind: string;
  by: string | null;
  of: string | null;
  resource: string | null;
  version: number | null;
  inputs: BuildOrigin['inputs'] | null;
}

export async function viewBuildOrigins(
  pool: DatabasePool,
  builds: readonly number[],
): Promise<BuildOrigin[]> {
  const found = await pool.any(rows<OriginRow>()`
    SELECT b.id AS build, b.cause ->> 'kind' AS kind, b.cause ->> 'by' AS by, b.cause ->> 'of' AS of,
      (SELECT r.name FROM resources r WHERE r.id = (b.cause ->> 'resource')::bigint) AS resource,
      (b.cause ->> 'version')::bigint AS version, (
        SELECT jsonb_agg(jsonb_build_object('name', i.name, 'resource', r.name, 'version', v.id, 'fields', v.fields)
          ORDER BY i.position)
        FROM build_inputs i JOIN versions v ON v.id = i.version_id JOIN resources r ON r.id = i.resource_id
        WHERE i.build_id = b.id) AS inputs
    FROM builds b WHERE b.id = ANY(${ids(builds)})`);
  return found.map((row) => ({ build: row.build, inputs: row.inputs ?? [], ...causeOf(row) }));
}

function causeOf({ kind, by, of, resource, version }: OriginRow): { cause?: ShownCause } {
  if (kind === 'manual' && by !== null) return { cause: { kind, by } };
  if (kind === 'retry' && by !== null && of !== null) return { cause: { kind, by, of } };
  if (resource === null || version === null) return {};
  return { cause: { kind: 'version', resource, version } };
}
