import { sql, type DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { prepared, rows } from '#adapters/database/connection/pool.ts';
import { newestBuildOf } from '#adapters/database/revisions/newest-build.ts';
import type { ActiveStatus, EndedStatus } from '#domain/graph/state.ts';
import type { Input } from '#domain/pipeline/pipeline.ts';
import type { JobView, PipelineView } from '#flows/views/ports.ts';
import { pipelineId } from './pipeline-id.ts';

export async function viewPipelines(
  pool: DatabasePool,
  { team, pipeline }: { team: string; pipeline?: string },
): Promise<PipelineView[]> {
  const found = await pool.any(rows<PipelineView & { displayName: string | null }>()`
    SELECT p.id, t.name AS team, p.name, p.display_name AS "displayName", p.public, p.paused, p.revision,
      (SELECT count(*) FROM jobs j WHERE j.pipeline_id = p.id AND j.deleted_at IS NULL) AS jobs,
      (SELECT count(*) FROM resources r WHERE r.pipeline_id = p.id AND r.deleted_at IS NULL) AS resources
    FROM pipelines p JOIN teams t ON t.id = p.team_id
    WHERE t.name = ${team} AND p.deleted_at IS NULL
      ${pipeline === undefined ? sql.fragment`` : sql.fragment`AND p.name = ${pipeline}`}
    ORDER BY p.name`);
  return found.map(withoutNulls);
}

interface JobRow {
  id: number;
  name: string;
  paused: boolean;
  inputs: Input[];
  ended: EndedStatus | null;
  doing: ActiveStatus[];
  latest: { number: string; status: 'pending'; startedAt: string | null; endedAt: string | null } | null;
}

export async function viewJobs(
  pool: DatabasePool,
  { job, ...name }: { team: string; pipeline: string; job?: string },
): Promise<JobView[] | undefined> {
  const pipeline = await pipelineId(pool, name);
  if (pipeline === undefined) return undefined;
  const found = await pool.any(prepared<JobRow>(`view_jobs_${job === undefined}`)`
    SELECT j.id, j.name, j.paused, j.inputs,
      (SELECT b.status FROM builds b WHERE b.job_id = j.id AND b.ended_at IS NOT NULL
        ORDER BY b.number DESC, b.retry DESC LIMIT 1) AS ended,
      ARRAY(SELECT DISTINCT b.status FROM builds b WHERE b.job_id = j.id AND b.ended_at IS NULL ORDER BY 1) AS doing,
      (SELECT jsonb_build_object('status', b.status, 'startedAt', b.started_at, 'endedAt', b.ended_at,
          'number', CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END)
        FROM builds b WHERE ${newestBuildOf(sql.fragment`j.id`)}) AS latest
    FROM jobs j JOIN pipelines p ON p.id = j.pipeline_id
    WHERE j.pipeline_id = ${pipeline} AND j.deleted_at IS NULL
      ${job === undefined ? sql.fragment`` : sql.fragment`AND j.name = ${job}`}
    ORDER BY j.position`);
  return found.map(({ latest, ended, doing, ...row }) => ({
    ...row,
    running: doing.includes('started'),
    doing: [...doing],
    ...withoutNulls({ ended }),
    ...(latest === null ? {} : { latest: toLatest(latest) }),
  }));
}

function toLatest({
  number,
  status,
  startedAt,
  endedAt,
}: NonNullable<JobRow['latest']>): NonNullable<JobView['latest']> {
  return {
    number,
    status,
    ...withoutNulls({
      startedAt: startedAt === null ? null : new Date(startedAt),
      endedAt: endedAt === null ? null : new Date(endedAt),
    }),
  };
}
