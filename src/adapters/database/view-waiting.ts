import { sql, type DatabasePool } from 'slonik';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { Gate, GatedBuild } from '#domain/scheduling/vote.ts';
import { whyBuildWaits } from '#domain/scheduling/why-build-waits.ts';
import { decideWithPages } from '#flows/decide-with-pages.ts';
import type { PipelineName } from '#flows/ports.ts';
import type { WaitingView } from '#flows/views.ts';
import { jobNameIn } from './carry-names.ts';
import type { Definitions } from './definitions.ts';
import { gatherJobs } from './gather.ts';
import { pipelineId } from './names.ts';
import { ids, rows } from './pool.ts';
import { decisionTransaction } from './schedule.ts';

/** Newest builds that have not started; older ones wait behind them for the same reasons or their own. */
const MOST_BUILDS = 1000;

/** Decides as the scheduler would now, and writes nothing: what is told is never older than the question. */
export async function viewWaiting(
  database: { pool: DatabasePool; definitions: Definitions },
  { job, ...name }: PipelineName & { job?: string },
): Promise<WaitingView | undefined> {
  const { pool } = database;
  const pipeline = await pipelineId(pool, name);
  if (pipeline === undefined) return undefined;
  const jobs = await pool.any(rows<JobRow>()`
    SELECT id, name FROM jobs WHERE pipeline_id = ${pipeline} AND deleted_at IS NULL
      ${job === undefined ? sql.fragment`` : sql.fragment`AND name = ${job}`} ORDER BY position`);
  if (job !== undefined && jobs.length === 0) return undefined;
  return { jobs: await waitingJobs(pool, jobs), builds: await waitingBuilds(database, jobs) };
}

interface JobRow {
  id: number;
  name: string;
}

async function waitingJobs(pool: DatabasePool, jobs: readonly JobRow[]): Promise<WaitingView['jobs']> {
  const { decision } = await pool.transaction(async (connection) => {
    const gather = async () =>
      await gatherJobs(
        connection,
        jobs.map((job) => job.id),
        // Whether there is one says enough.
        1,
      );
    return await decideWithPages(decisionTransaction(connection, gather));
  });
  const reasons = new Map<number, Reason[]>(decision.waiting.map((job) => [job.job, job.reasons]));
  return jobs.map((job) => ({ name: job.name, reasons: reasons.get(job.id) ?? [] }));
}

interface BuildRow {
  job: string;
  /** The job's name in the build's own definition. */
  known: string;
  number: string;
  revision: number;
  status: 'pending' | 'waiting';
  pod: string | null;
  held: Reason[] | null;
  gate: Gate | null;
  votes: GatedBuild['votes'] | null;
}

async function waitingBuilds(
  { pool, definitions }: { pool: DatabasePool; definitions: Definitions },
  jobs: readonly JobRow[],
): Promise<WaitingView['builds']> {
  const found = await pool.any(rows<BuildRow>()`
    SELECT j.name AS job, ${jobNameIn(sql.fragment`b.revision_id`)} AS known, CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END AS number,
      b.revision_id AS revision, b.status, b.pending_reason AS pod, b.held, b.gate, (
        SELECT jsonb_agg(jsonb_build_object('by', v.voter, 'approve', v.approve)) FROM build_votes v WHERE v.build_id = b.id) AS votes
    FROM builds b JOIN jobs j ON j.id = b.job_id
    WHERE b.ended_at IS NULL AND b.status IN ('pending', 'waiting') AND j.id = ANY(${ids(jobs.map((job) => job.id))})
    ORDER BY b.id DESC LIMIT ${MOST_BUILDS}`);
  const tagsOf = await tagsOfJobs({ pool, definitions }, found);
  return found.map(({ job, known, number, revision, status, pod, held, gate, votes }) => {
    const tags = tagsOf.get(`${revision} ${known}`) ?? [];
    const reasons = whyBuildWaits({
      status,
      held: held ?? [],
      tags,
      gate: gate ?? { approvals: 0 },
      votes: votes ?? [],
      ...(pod === null ? {} : { pod }),
    });
    return { job, number, reasons };
  });
}

/** By revision and job. Definitions are looked at one after the other: all of them might not fit into memory. */
async function tagsOfJobs(
  { pool, definitions }: { pool: DatabasePool; definitions: Definitions },
  builds: readonly BuildRow[],
): Promise<Map<string, readonly string[]>> {
  const tags = new Map<string, readonly string[]>();
  for (const revision of new Set(builds.map((build) => build.revision))) {
    const jobs = (await definitions.of(pool, [revision])).get(revision)?.jobs ?? [];
    for (const { name, tags: own } of jobs) if (own !== undefined) tags.set(`${revision} ${name}`, own);
  }
  return tags;
}
