import { sql } from 'slonik';
import { jobNameIn } from './names-in-revision.ts';

/** A build with its team, pipeline and job. `job` is the job's name in the revision of the build. */
export interface BuildRow {
  id: number;
  team: string;
  pipeline: string;
  job: string;
  /** `7`, or `7.1` for the first retry of build 7. */
  number: string;
  attempt: number;
  namespace: string;
  /** Row id. */
  revision: number;
  createdAt: Date;
  pipelineId: number;
  /** The Team's time limit for jobs without one. */
  defaultTimeoutSeconds: number | null;
}

/** SQL: the columns of `BuildRow` for build `b`. They need `BUILD_JOINS`. */
export const BUILD_COLUMNS = sql.fragment`b.id, p.id AS "pipelineId", t.name AS team, p.name AS pipeline,
  ${jobNameIn(sql.fragment`b.revision_id`)} AS job,
  CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END AS number,
  b.attempt, p.namespace, b.revision_id AS revision, b.created_at AS "createdAt",
  t.default_timeout_seconds AS "defaultTimeoutSeconds"`;
export const BUILD_JOINS = sql.fragment`JOIN jobs j ON j.id = b.job_id
  JOIN pipelines p ON p.id = j.pipeline_id JOIN teams t ON t.id = p.team_id`;

/**
 * SQL: how the last build of the same job before `b` ended, apart from cancelled builds. A warning counts as
 * failed. Null: there is no such build.
 */
export const PREVIOUS_OUTCOME = sql.fragment`(
  SELECT CASE o.status WHEN 'succeeded' THEN 'succeeded' ELSE 'failed' END FROM builds o
  WHERE o.job_id = b.job_id AND o.id < b.id AND o.status IN ('succeeded', 'failed', 'warning')
  ORDER BY o.id DESC LIMIT 1)`;
