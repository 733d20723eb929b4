import { sql } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { prepared, timestamp, type Database } from '#adapters/database/connection/pool.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import { jobNameIn } from '#adapters/database/revisions/names-in-revision.ts';
import type { TeamActivity } from '#flows/pods/warm-ports.ts';

/** Limit of the returned jobs. It is larger than the number of warm Pods that a Team may keep ready. */
const MAX_JOBS = 40;

interface CountRow {
  limit: number | null;
  /** Builds that are queued or run. */
  open: number;
  /** Builds with a turn and without a Pod. */
  waiting: number;
  lacksQuota: boolean;
}

interface JobRow {
  pipelineId: number;
  pipeline: string;
  job: string;
  revision: number;
  lastBuildAt: Date;
  /** The newest build has its turn and has not ended. */
  isRunning: boolean;
  defaultTimeoutSeconds: number | null;
}

/**
 * Returns how many more builds the team may run, and at most MAX_JOBS jobs that are not paused and whose
 * newest build runs or was created at `since` or later. A queued build counts like a running one, because it
 * gets its Pod before a warm Pod is created.
 */
export async function teamActivity(
  { pool, definitions }: Database & { definitions: Definitions },
  team: string,
  since: Date,
): Promise<TeamActivity> {
  const counts = await pool.maybeOne(prepared<CountRow>('counts_of_team')`
    SELECT t.running_builds AS limit, count(b.id)::int AS open,
      (count(b.id) FILTER (WHERE b.wants_pod AND b.admitted_at IS NOT NULL))::int AS waiting,
      coalesce(bool_or(b.pending_reason LIKE 'QuotaExceeded:%' AND b.wants_pod), false) AS "lacksQuota"
    FROM teams t
    LEFT JOIN (pipelines p JOIN jobs j ON j.pipeline_id = p.id
      JOIN builds b ON b.job_id = j.id AND b.ended_at IS NULL AND b.status IN ('pending', 'started'))
      ON p.team_id = t.id
    WHERE t.name = ${team} AND t.deleted_at IS NULL GROUP BY t.id`);
  if (counts === null) return { freeSlots: 0, waiting: 0, lacksQuota: false, jobs: [] };
  const activeJobs = await pool.any(prepared<JobRow>('active_jobs_of_team')`
    SELECT p.id AS "pipelineId", p.name AS pipeline, ${jobNameIn(sql.fragment`v.id`)} AS job, v.id AS revision,
      l.created_at AS "lastBuildAt", l.running AS "isRunning", t.default_timeout_seconds AS "defaultTimeoutSeconds"
    FROM teams t JOIN pipelines p ON p.team_id = t.id AND p.deleted_at IS NULL AND NOT p.paused
      JOIN revisions v ON v.pipeline_id = p.id AND v.number = p.revision
      JOIN jobs j ON j.pipeline_id = p.id AND j.deleted_at IS NULL AND NOT j.paused
      CROSS JOIN LATERAL (
        SELECT b.created_at, b.ended_at IS NULL AND b.admitted_at IS NOT NULL AS running FROM builds b
        WHERE b.job_id = j.id ORDER BY b.number DESC, b.retry DESC LIMIT 1) AS l
    WHERE t.name = ${team} AND (l.running OR l.created_at >= ${timestamp(since)})
    ORDER BY l.created_at DESC LIMIT ${MAX_JOBS}`);
  // A running job may trigger other jobs, so its whole definition is read. For the other jobs, a part is
  // enough.
  const runningJobs = activeJobs.filter(({ isRunning }) => isRunning);
  const revisions = new Set(runningJobs.map(({ revision }) => revision));
  const definitionsByRevision = await definitions.of(pool, [...revisions]);
  const otherJobs = activeJobs.filter(({ revision }) => !revisions.has(revision));
  const parts = new Map(
    (await definitions.parts(pool, otherJobs)).map((part, index) => [otherJobs[index], part]),
  );
  return {
    freeSlots: counts.limit === null ? Infinity : Math.max(0, counts.limit - counts.open),
    waiting: counts.waiting,
    lacksQuota: counts.lacksQuota,
    jobs: activeJobs.flatMap((activeJob) => {
      const { revision, defaultTimeoutSeconds, ...job } = activeJob;
      const definition = definitionsByRevision.get(revision) ?? parts.get(activeJob);
      return definition === undefined
        ? []
        : [{ ...job, ...withoutNulls({ defaultTimeoutSeconds }), definition }];
    }),
  };
}
