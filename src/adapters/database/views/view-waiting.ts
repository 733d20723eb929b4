import { sql, type DatabasePool } from 'slonik';
import { gatherJobs } from '#adapters/database/builds/scheduling/gather.ts';
import { pendingReason } from '#adapters/database/builds/scheduling/pending-reason.ts';
import { decisionTransaction } from '#adapters/database/builds/scheduling/schedule.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids, rows } from '#adapters/database/connection/pool.ts';
import { jobNameIn } from '#adapters/database/revisions/names-in-revision.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { Gate, GatedBuild } from '#domain/scheduling/vote.ts';
import type {
  BuildToExplain,
  ExplainedJobs,
  JobToExplain,
  WaitingStore,
} from '#flows/views/waiting-ports.ts';
import { pipelineId } from './pipeline-id.ts';

/** Limit of the builds of one job, and also of the builds of all jobs together. */
const MAX_BUILDS = 1000;

export function waitingStore({ pool }: { pool: DatabasePool }): WaitingStore {
  return {
    jobsToExplain: async (jobs) => await jobsToExplain(pool, jobs),
    withFacts: async (jobs, work) =>
      await pool.transaction(async (connection) => {
        // The reasons depend on whether there is an unused version, not on how many there are.
        const gather = async () => await gatherJobs(connection, jobs, 1);
        return await work(decisionTransaction(connection, gather));
      }),
    unstartedBuilds: async (jobs) => await unstartedBuilds(pool, jobs),
  };
}

async function jobsToExplain(
  pool: DatabasePool,
  { job, first, ...name }: ExplainedJobs,
): Promise<JobToExplain[] | undefined> {
  const pipeline = await pipelineId(pool, name);
  if (pipeline === undefined) return undefined;
  const jobs = await pool.any(rows<JobToExplain>()`
    SELECT id, name FROM jobs WHERE pipeline_id = ${pipeline} AND deleted_at IS NULL
      ${job === undefined ? sql.fragment`` : sql.fragment`AND name = ${job}`}
    ORDER BY position LIMIT ${first ?? null}`);
  return job !== undefined && jobs.length === 0 ? undefined : [...jobs];
}

interface BuildRow {
  job: string;
  /** The job's name in the build's revision. */
  jobInRevision: string;
  number: string;
  revision: number;
  status: 'pending' | 'waiting';
  /** As `QuotaExceeded: …`. */
  pendingReason: string | null;
  /** Before the build's turn: why it waits. */
  held: Reason[] | null;
  gate: Gate | null;
  votes: GatedBuild['votes'] | null;
}

async function unstartedBuilds(pool: DatabasePool, jobs: readonly number[]): Promise<BuildToExplain[]> {
  const found = await pool.any(rows<BuildRow>()`
    SELECT j.name AS job, ${jobNameIn(sql.fragment`b.revision_id`)} AS "jobInRevision", CASE b.retry
      WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END AS number,
      b.revision_id AS revision, b.status, ${pendingReason} AS "pendingReason", b.held, b.gate, (
        SELECT jsonb_agg(jsonb_build_object('by', v.voter, 'approve', v.approve)) FROM build_votes v
          WHERE v.build_id = b.id) AS votes
    FROM unnest(${ids(jobs)}) AS wanted (job) JOIN jobs j ON j.id = wanted.job CROSS JOIN LATERAL (
      SELECT * FROM builds o WHERE o.job_id = j.id AND o.ended_at IS NULL AND o.status IN ('pending', 'waiting')
      ORDER BY o.id DESC LIMIT ${MAX_BUILDS}) AS b
    ORDER BY b.id DESC LIMIT ${MAX_BUILDS}`);
  const tagsOf = await tagsOfJobs(pool, found);
  return found.map(({ jobInRevision, revision, pendingReason: reason, held, gate, votes, ...build }) => ({
    ...build,
    held: held ?? [],
    tags: tagsOf.get(`${revision} ${jobInRevision}`) ?? [],
    votes: votes ?? [],
    ...withoutNulls({ pendingReason: reason, gate }),
  }));
}

/** Worker tags by `<revision> <job>`. Reads no definitions, because together they may not fit into memory. */
async function tagsOfJobs(
  pool: DatabasePool,
  builds: readonly BuildRow[],
): Promise<Map<string, readonly string[]>> {
  const revisions = new Set(builds.map(({ revision }) => revision));
  const found = await pool.any(rows<{ revision: number; job: string; tags: string[] }>()`
    SELECT v.id AS revision, job ->> 'name' AS job, job -> 'tags' AS tags FROM revisions v
    CROSS JOIN LATERAL jsonb_path_query(v.definition, '$.jobs[*] ? (exists (@.tags))') AS job
    WHERE v.id = ANY(${ids([...revisions])})`);
  return new Map(found.map(({ revision, job, tags }) => [`${revision} ${job}`, tags]));
}
