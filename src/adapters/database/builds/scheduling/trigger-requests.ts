import { insertTrigger } from '#adapters/database/checks/trigger-checks.ts';
import {
  LOCK,
  prepared,
  rows,
  timestamp,
  type Database,
  type Transaction,
} from '#adapters/database/connection/pool.ts';
import type { RequestedCheck } from '#domain/scheduling/facts.ts';
import type {
  RequestedBuild,
  RequestTransaction,
  TriggerAnswer,
  TriggerWaits,
  WaitingTransaction,
} from '#flows/builds/trigger-ports.ts';
import type { BuildRef, JobName } from '#flows/names.ts';
import { gatherJobs } from './gather.ts';
import { decisionTransaction } from './schedule.ts';
import { repeatDecision } from './write-decision.ts';

type JobRequest = RequestedBuild & { job: JobName };

/**
 * Returns the inputs as JSON text; null if there are none. A prepared statement must have the same text in
 * both cases, so null is passed as a parameter.
 */
const inputsAsJson = (inputs: RequestedBuild['inputs']): string | null =>
  inputs === undefined ? null : JSON.stringify(inputs);

/**
 * Records the request with the statement that locks the pipeline. Returns undefined if there is no such job.
 */
export async function withRequest<T>(
  { pool }: Database,
  { job: { team, pipeline, job }, by, inputs, at }: JobRequest,
  work: (tx: RequestTransaction) => Promise<T>,
): Promise<T | undefined> {
  return await repeatDecision(async () =>
    pool.transaction(async (connection) => {
      const recorded = await connection.maybeOne(prepared<{ job: number; request: number }>('trigger_job')`
      WITH named AS MATERIALIZED (
        SELECT j.id, j.pipeline_id FROM jobs j
        JOIN pipelines p ON p.id = j.pipeline_id AND p.deleted_at IS NULL
        JOIN teams t ON t.id = p.team_id
        WHERE t.name = ${team} AND p.name = ${pipeline} AND j.name = ${job} AND j.deleted_at IS NULL)
      INSERT INTO job_triggers (job_id, requested_by, requested_at, input_values)
      SELECT id, ${by}, ${timestamp(at)}, ${inputsAsJson(inputs)}::jsonb
      FROM named, pg_advisory_xact_lock(${LOCK.pipeline}, pipeline_id::int)
      RETURNING job_id AS job, id AS request`);
      if (recorded === null) return undefined;
      const gather = async () => await gatherJobs(connection, [recorded.job]);
      return await work({ ...decisionTransaction(connection, gather), request: recorded.request });
    }),
  );
}

/**
 * Records the request and requests its checks, for which the caller then waits. Returns undefined if there is
 * no such job.
 */
export async function withRequestAfterChecks<T>(
  { pool }: Database,
  { job: { team, pipeline, job }, by, inputs, waitMs, at }: JobRequest & { waitMs: number },
  work: (tx: WaitingTransaction) => Promise<T>,
): Promise<T | undefined> {
  return await repeatDecision(async () =>
    pool.transaction(async (connection) => {
      const locked = await connection.maybeOne(rows<{ job: number; pipelineId: number }>()`
        WITH named AS MATERIALIZED (
          SELECT j.id, j.pipeline_id FROM jobs j
          JOIN pipelines p ON p.id = j.pipeline_id AND p.deleted_at IS NULL
          JOIN teams t ON t.id = p.team_id
          WHERE t.name = ${team} AND p.name = ${pipeline} AND j.name = ${job} AND j.deleted_at IS NULL)
        SELECT id AS job, pipeline_id AS "pipelineId" FROM named,
          pg_advisory_xact_lock(${LOCK.pipeline}, pipeline_id::int)`);
      if (locked === null) return undefined;
      const request = await insertTrigger(connection, {
        job: locked.job,
        by,
        inputs: inputsAsJson(inputs),
        waitMs,
        at,
      });
      const waits: TriggerWaits = { answer: 'checking', request, pipelineId: locked.pipelineId };
      return await work(waitingTransaction(connection, waits, locked.job));
    }),
  );
}

function waitingTransaction(
  connection: Transaction,
  waits: TriggerWaits,
  job: number | undefined,
): WaitingTransaction {
  const jobs = job === undefined ? [] : [job];
  return {
    ...decisionTransaction(connection, async () => await gatherJobs(connection, jobs)),
    request: waits.request,
    waits,
    open: job !== undefined,
    answer: async () => await triggerAnswer({ pool: connection }, waits),
  };
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
    SELECT t.name AS team, p.name AS pipeline, j.name AS job, b.number::text AS number,
      b.cause -> 'checks' AS checks, m.refused
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

/**
 * Ends the request's wait for checks in the database, so that no decision waits for them any more, and then
 * runs `work`.
 */
export async function withWaitEnded<T>(
  { pool }: Database,
  waits: TriggerWaits,
  work: (tx: WaitingTransaction) => Promise<T>,
): Promise<T> {
  return await repeatDecision(async () =>
    pool.transaction(async (connection) => {
      await connection.query(
        rows()`SELECT pg_advisory_xact_lock(${LOCK.pipeline}, ${waits.pipelineId}::int)`,
      );
      const job = await connection.maybeOneFirst(rows<{ job: number }>()`
        UPDATE job_triggers SET check_until = now() WHERE id = ${waits.request} AND build_id IS NULL AND refused IS NULL
        RETURNING job_id AS job`);
      return await work(waitingTransaction(connection, waits, job ?? undefined));
    }),
  );
}
