import { sql } from 'slonik';
import type { Decision } from '#domain/scheduling/decision.ts';
import type { Facts } from '#domain/scheduling/facts.ts';
import type { BuildRef, JobName, Scheduled } from '#flows/ports.ts';
import type { TriggerAnswer } from '#flows/trigger-ports.ts';
import { fence, EpochOver } from './fence.ts';
import { AUTOMATIC_PAUSE_ABOVE } from '#domain/scheduling/queue-limits.ts';
import { gatherJobs, gatherWaiting } from './gather.ts';
import { decideWithPages } from './gather-pages.ts';
import { queuedBuilds } from './queued-builds.ts';
import { LOCK, prepared, rows, time, type Database, type Transaction } from './pool.ts';
import { decidedAgain, writeDecision } from './write-decision.ts';

export type Decide = (facts: Facts) => Decision;

/** Those whose queue is full are left alone until fewer builds wait. */
export async function pipelinesToSchedule({ pool }: Database, limit: number): Promise<number[]> {
  const found = await pool.anyFirst(rows<{ pipeline_id: number }>()`
    SELECT w.pipeline_id FROM (
      SELECT DISTINCT j.pipeline_id FROM jobs j JOIN pipelines p ON p.id = j.pipeline_id AND p.deleted_at IS NULL
      WHERE j.schedule_requested > j.last_scheduled AND j.deleted_at IS NULL) AS w
    WHERE ${queuedBuilds(sql.fragment`w.pipeline_id`)} <= ${AUTOMATIC_PAUSE_ABOVE} ORDER BY 1 LIMIT ${limit}`);
  return [...found];
}

/** Five round trips whatever is decided: begin, lock, gather, write, commit; one more for each kind of page that is looked at. */
export async function schedule(
  database: Database,
  { pipeline, decide, at }: { pipeline: number; decide: Decide; at: Date },
): Promise<Scheduled> {
  return await decidedAgain(async () => await scheduleOnce(database, { pipeline, decide, at }));
}

async function scheduleOnce(
  database: Database,
  { pipeline, decide, at }: { pipeline: number; decide: Decide; at: Date },
): Promise<Scheduled> {
  return await database.pool.transaction(async (connection) => {
    const leads = await connection.oneFirst(prepared<{ leads: boolean }>(
      `lock_pipeline_${database.epoch === undefined}`,
    )`
      SELECT (${fence(database)}) IS NOT NULL AS leads FROM pg_advisory_xact_lock(${LOCK.pipeline}, ${pipeline}::int)`);
    if (!leads) throw new EpochOver(database.epoch?.() ?? 0);
    const gathered = await gatherWaiting(connection, pipeline);
    const decision = await decideWithPages(connection, gathered, decide);
    const { made, interrupted } = await writeDecision(connection, gathered.jobs, decision, at);
    const held = gathered.resources.some((resource) => resource.held !== undefined);
    const more = gathered.more || decision.unfinished.length > 0;
    return { builds: made.map(withoutId), interrupted, held, more };
  });
}

interface Asked {
  job: JobName;
  by: string;
  decide: Decide;
  at: Date;
}

/** The same for one job, with a request of its own. */
export async function trigger(database: Database, asked: Asked): Promise<TriggerAnswer> {
  return await decidedAgain(async () => await triggerOnce(database, asked));
}

async function triggerOnce({ pool }: Database, { job, by, decide, at }: Asked): Promise<TriggerAnswer> {
  return await pool.transaction(async (connection) => {
    const asked = await connection.maybeOne(prepared<{ job: number; request: number }>('trigger_job')`
      WITH named AS MATERIALIZED (
        SELECT j.id, j.pipeline_id FROM jobs j
        JOIN pipelines p ON p.id = j.pipeline_id AND p.deleted_at IS NULL
        JOIN teams t ON t.id = p.team_id
        WHERE t.name = ${job.team} AND p.name = ${job.pipeline} AND j.name = ${job.job} AND j.deleted_at IS NULL)
      INSERT INTO job_triggers (job_id, requested_by, requested_at)
      SELECT id, ${by}, ${time(at)} FROM named, pg_advisory_xact_lock(${LOCK.pipeline}, pipeline_id::int)
      RETURNING job_id AS job, id AS request`);
    if (asked === null) return { answer: 'unknown' };
    const answer = await answerRequest(connection, asked, { decide, at });
    return answer ?? { answer: 'refused', reasons: [] };
  });
}

/** Decides on the job under the pipeline's lock. Undefined: the request waits for checks, or was answered before. */
export async function answerRequest(
  connection: Transaction,
  asked: { job: number; request: number },
  { decide, at }: { decide: Decide; at: Date },
): Promise<TriggerAnswer | undefined> {
  const gathered = await gatherJobs(connection, [asked.job]);
  if (gathered.jobs.length === 0) return { answer: 'unknown' };
  const decision = await decideWithPages(connection, gathered, decide);
  const { made, interrupted } = await writeDecision(connection, gathered.jobs, decision, at);
  const build = made.find(({ request }) => request === asked.request);
  const cause = decision.builds.find(
    (one) => one.cause.kind === 'manual' && one.cause.request === asked.request,
  )?.cause;
  if (build !== undefined)
    return {
      answer: 'created',
      build: withoutId(build),
      interrupted,
      ...(cause?.kind === 'manual' && cause.checks !== undefined && { checks: cause.checks }),
    };
  const refused = decision.refused.find(({ request }) => request === asked.request);
  return (
    refused && { answer: 'refused', reasons: refused.reasons.map(({ code, message }) => ({ code, message })) }
  );
}

export function withoutId({ team, pipeline, job, number }: BuildRef): BuildRef {
  return { team, pipeline, job, number };
}
