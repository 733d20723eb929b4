import { sql } from 'slonik';
import { jobNameIn } from '#adapters/database/revisions/names-in-revision.ts';

/** A build with its team, pipeline and job. The job has the name of the build's own revision. */
export interface BuildRow {
  id: number;
  team: string;
  pipeline: string;
  job: string;
  number: string;
  attempt: number;
  namespace: string;
  revision: number;
  createdAt: Date;
  pipelineId: number;
}

export const BUILD_COLUMNS = sql.fragment`b.id, p.id AS "pipelineId", t.name AS team, p.name AS pipeline,
  ${jobNameIn(sql.fragment`b.revision_id`)} AS job,
  CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END AS number,
  b.attempt, p.namespace, b.revision_id AS revision, b.created_at AS "createdAt"`;
export const BUILD_NAMES = sql.fragment`JOIN jobs j ON j.id = b.job_id
  JOIN pipelines p ON p.id = j.pipeline_id JOIN teams t ON t.id = p.team_id`;
