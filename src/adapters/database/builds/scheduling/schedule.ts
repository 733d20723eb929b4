import { sql } from 'slonik';
import { EpochOver, fence } from '#adapters/database/connection/fence.ts';
import { LOCK, prepared, rows, type Database, type Transaction } from '#adapters/database/connection/pool.ts';
import { AUTOMATIC_PAUSE_ABOVE } from '#domain/scheduling/queue-limits.ts';
import type { GatheredFacts, PipelineTransaction } from '#flows/builds/schedule-ports.ts';
import { historyPages, newestPages } from './gather-pages.ts';
import { gatherWaiting, type Gathered } from './gather.ts';
import { interruptFacts } from './interrupt-facts.ts';
import { queuedBuilds } from './queued-builds.ts';
import { repeatDecision, writeDecision } from './write-decision.ts';

/**
 * Returns pipelines with jobs that wait for a decision, except pipelines whose queue of builds is too long.
 */
export async function pipelinesToSchedule({ pool }: Database, limit: number): Promise<number[]> {
  const found = await pool.anyFirst(rows<{ pipeline_id: number }>()`
    SELECT w.pipeline_id FROM (
      SELECT DISTINCT j.pipeline_id FROM jobs j JOIN pipelines p ON p.id = j.pipeline_id AND p.deleted_at IS NULL
      WHERE j.schedule_requested > j.last_scheduled AND j.deleted_at IS NULL) AS w
    WHERE ${queuedBuilds(sql.fragment`w.pipeline_id`)} <= ${AUTOMATIC_PAUSE_ABOVE} ORDER BY 1 LIMIT ${limit}`);
  return [...found];
}

/**
 * A decision takes five round trips (begin, lock, gather, write, commit), one more for each kind of page that
 * it reads, and two for interruptible jobs. The decision is repeated if a build that it supersedes has
 * started meanwhile.
 */
export async function withPipeline<T>(
  database: Database,
  pipeline: number,
  work: (tx: PipelineTransaction) => Promise<T>,
): Promise<T> {
  return await repeatDecision(
    async () =>
      await database.pool.transaction(async (connection) => {
        const leads = await connection.oneFirst(prepared<{ leads: boolean }>(
          `lock_pipeline_${database.epoch === undefined}`,
        )`
      SELECT (${fence(database)}) IS NOT NULL AS leads FROM pg_advisory_xact_lock(${LOCK.pipeline}, ${pipeline}::int)`);
        if (!leads) throw new EpochOver(database.epoch?.() ?? 0);
        return await work(
          decisionTransaction(connection, async () => await gatherWaiting(connection, pipeline)),
        );
      }),
  );
}

/**
 * To write, the caller must hold the pipeline's lock. `older` and `write` apply to the jobs that `facts`
 * returned.
 */
export function decisionTransaction(
  connection: Transaction,
  gather: () => Promise<Gathered>,
): PipelineTransaction {
  let known: Gathered | undefined;
  const gathered = (): Gathered => {
    if (known === undefined) throw new Error('This transaction has read no facts yet: read them first.');
    return known;
  };
  return {
    facts: async (rowsPerPage) => {
      known = await gather();
      return await toFacts(connection, known, rowsPerPage);
    },
    older: async (needs, rowsPerPage) => await historyPages(connection, gathered(), { needs, rowsPerPage }),
    interruptFacts: async (jobsAndVersions) => await interruptFacts(connection, jobsAndVersions),
    write: async (decision, options) => await writeDecision(connection, gathered().jobs, decision, options),
  };
}

async function toFacts(
  connection: Transaction,
  gathered: Gathered,
  rowsPerPage: number,
): Promise<GatheredFacts> {
  const { jobs, paused, resources, queued, more } = gathered;
  const { passes, used, ids } = await newestPages(connection, gathered, rowsPerPage);
  return {
    paused,
    resources,
    jobs: jobs.map((job) => job.facts),
    passes,
    used,
    ids: new Map([...gathered.ids, ...ids]),
    queued,
    turnConstraints: new Map(jobs.map((job) => [job.facts.id, job.turnConstraints])),
    more,
  };
}
