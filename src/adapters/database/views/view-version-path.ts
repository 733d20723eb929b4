import type { DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids, rows } from '#adapters/database/connection/pool.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { PathBuild, PathJob } from '#domain/scheduling/version-path.ts';
import type { ResourceName } from '#flows/names.ts';
import type { PathBuildRow, VersionToFollow } from '#flows/views/show-version-path.ts';
import { pipelineId } from './pipeline-id.ts';

/** Limit of the builds of one version, the newest first. Older ones are mostly retries. */
const MAX_BUILDS = 500;

export async function versionToFollow(
  pool: DatabasePool,
  { resource, ...name }: ResourceName,
  version: number,
): Promise<VersionToFollow | undefined> {
  const pipeline = await pipelineId(pool, name);
  if (pipeline === undefined) return undefined;
  const start = await pool.maybeOne(rows<Pick<VersionToFollow, 'resource' | 'fields'>>()`
    SELECT r.id AS resource, v.fields FROM resources r JOIN versions v ON v.scope_id = r.scope_id
    WHERE r.pipeline_id = ${pipeline} AND r.name = ${resource} AND v.id = ${version} AND NOT v.forgotten`);
  return start === null ? undefined : { pipeline, ...start, jobs: await pathJobs(pool, pipeline) };
}

async function pathJobs(pool: DatabasePool, pipeline: number): Promise<PathJob[]> {
  const found = await pool.any(rows<{ name: string; gets: PathJob['gets'] | null }>()`
    SELECT j.name, (
      SELECT jsonb_agg(jsonb_build_object('resource', g.resource_id, 'passed', to_jsonb(ARRAY(
        SELECT u.name FROM jobs u WHERE u.id = ANY(g.passed)))) ORDER BY g.position)
      FROM job_gets g WHERE g.job_id = j.id) AS gets
    FROM jobs j WHERE j.pipeline_id = ${pipeline} AND j.deleted_at IS NULL ORDER BY j.position`);
  return found.map(({ name, gets }) => ({ name, gets: gets ?? [] }));
}

type BuildRow = PathBuild & {
  version: number;
  status: BuildStatus;
  startedAt: Date | null;
  endedAt: Date | null;
};

export async function buildsThatTook(
  pool: DatabasePool,
  pipeline: number,
  versions: readonly number[],
): Promise<PathBuildRow[]> {
  const found = await pool.any(rows<BuildRow>()`
    SELECT n.version, b.id, j.name AS job, b.status, b.started_at AS "startedAt", b.ended_at AS "endedAt",
      CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END AS number,
      coalesce((SELECT jsonb_agg(jsonb_build_object('resource', o.resource_id, 'version', o.version_id))
        FROM build_outputs o WHERE o.build_id = b.id AND o.attempt = b.attempt), '[]') AS outputs
    FROM unnest(${ids(versions)}) AS n (version)
    CROSS JOIN LATERAL (SELECT DISTINCT i.build_id FROM build_inputs i WHERE i.version_id = n.version
      ORDER BY i.build_id DESC LIMIT ${MAX_BUILDS}) AS i
    JOIN builds b ON b.id = i.build_id
    JOIN jobs j ON j.id = b.job_id AND j.pipeline_id = ${pipeline}`);
  return found.map(withoutNulls);
}
