import type { BuildRef, JobName } from '#flows/ports.ts';
import type { TriggerAnswer, TriggerWaits } from '#flows/trigger-ports.ts';
import type { RequestedCheck } from '#domain/scheduling/facts.ts';
import { LOCK, rows, type Database, type Transaction } from './pool.ts';
import { answerRequest, type Decide } from './schedule.ts';
import { insertTrigger } from './trigger-checks.ts';
import { decidedAgain } from './write-decision.ts';

interface Asked {
  job: JobName;
  by: string;
  waitMs: number;
  decide: Decide;
  at: Date;
}

/** The request is durable before anybody waits. Where nothing is to be checked it is answered at once. */
export async function triggerAfterChecks(
  { pool }: Database,
  { job: { team, pipeline, job }, by, waitMs, decide, at }: Asked,
): Promise<TriggerAnswer | TriggerWaits> {
  return await decidedAgain(async () =>
    pool.transaction(async (connection) => {
      const named = await connection.maybeOne(rows<{ job: number; pipelineId: number }>()`
        WITH named AS MATERIALIZED (
          SELECT j.id, j.pipeline_id FROM jobs j
          JOIN pipelines p ON p.id = j.pipeline_id AND p.deleted_at IS NULL
          JOIN teams t ON t.id = p.team_id
          WHERE t.name = ${team} AND p.name = ${pipeline} AND j.name = ${job} AND j.deleted_at IS NULL)
        SELECT id AS job, pipeline_id AS "pipelineId" FROM named, pg_advisory_xact_lock(${LOCK.pipeline}, pipeline_id::int)`);
      if (named === null) return { answer: 'unknown' };
      const request = await insertTrigger(connection, { job: named.job, by, waitMs, at });
      const answer = await answerRequest(connection, { job: named.job, request }, { decide, at });
      return answer ?? { answer: 'checking', request, pipelineId: named.pipelineId };
    }),
  );
}

interface AnswerRow extends Omit<BuildRef, 'number'> {
  number: string | null;
  checks: RequestedCheck[] | null;
  refused: { code: string; message: string }[] | null;
}

export async function triggerAnswer(
  { pool }: { pool: Pick<Transaction, 'maybeOne'> },
  waits: TriggerWaits,
): Promise<TriggerAnswer | TriggerWaits> {
  const found = await pool.maybeOne(rows<AnswerRow>()`
    SELECT t.name AS team, p.name AS pipeline, j.name AS job, b.number::text AS number, b.cause -> 'checks' AS checks, m.refused
    FROM job_triggers m JOIN jobs j ON j.id = m.job_id AND j.deleted_at IS NULL
    JOIN pipelines p ON p.id = j.pipeline_id AND p.deleted_at IS NULL JOIN teams t ON t.id = p.team_id
    LEFT JOIN builds b ON b.id = m.build_id
    WHERE m.id = ${waits.request}`);
  if (found === null) return { answer: 'unknown' };
  const { number, checks, refused, ...name } = found;
  if (refused !== null)
    return { answer: 'refused', reasons: refused.map(({ code, message }) => ({ code, message })) };
  if (number === null) return waits;
  return {
    answer: 'created',
    build: { ...name, number },
    interrupted: [],
    ...(checks === null ? {} : { checks }),
  };
}

/** The wait ends in the database too: whoever decides next does not wait either. */
export async function endTriggerWait(
  { pool }: Database,
  { waits, decide, at }: { waits: TriggerWaits; decide: Decide; at: Date },
): Promise<TriggerAnswer> {
  return await decidedAgain(async () =>
    pool.transaction(async (connection): Promise<TriggerAnswer> => {
      await connection.query(
        rows()`SELECT pg_advisory_xact_lock(${LOCK.pipeline}, ${waits.pipelineId}::int)`,
      );
      const job = await connection.maybeOneFirst(rows<{ job: number }>()`
        UPDATE job_triggers SET check_until = now() WHERE id = ${waits.request} AND build_id IS NULL AND refused IS NULL
        RETURNING job_id AS job`);
      const asked = job === null ? undefined : { job, request: waits.request };
      const answer = asked && (await answerRequest(connection, asked, { decide, at }));
      const known = answer ?? (await triggerAnswer({ pool: connection }, waits));
      return known.answer === 'checking' ? { answer: 'refused', reasons: [] } : known;
    }),
  );
}
