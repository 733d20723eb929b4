import { sql } from 'slonik';
import type { retryBuild, RetryFacts } from '#domain/scheduling/retry-build.ts';
import type { Refused, Retried } from '#flows/action-ports.ts';
import type { BuildRef } from '#flows/ports.ts';
import { endUnstarted } from './end-unstarted.ts';
import { done } from './lock-pipeline.ts';
import { parseNumber } from './names.ts';
import { queuedBuilds } from './queued-builds.ts';
import { rows, time, type Transaction } from './pool.ts';

interface RetryToWrite {
  ref: BuildRef;
  pipeline: number;
  build: number;
  by: string;
  decide: typeof retryBuild;
  at: Date;
}

/** The caller holds the pipeline's lock. */
export async function retryByPerson(
  connection: Transaction,
  retry: RetryToWrite,
): Promise<Retried | Refused> {
  const { ref, pipeline, build, decide } = retry;
  const { job, ...facts } = await gather(connection, build);
  const answer = decide({ ...facts, number: ref.number, ...(job === null ? {} : { job }) });
  if (answer.answer === 'refused') return answer;
  const stopped = answer.interrupts ? await interrupt(connection, retry) : [];
  const { retry: k = 0 } = parseNumber(answer.number) ?? {};
  await connection.query(rows()`
    WITH made AS (
      INSERT INTO builds (job_id, revision_id, number, retry, cause, created_at, wants_pod, status, gate, approved_at)
      SELECT job_id, revision_id, number, ${k}, jsonb_build_object('kind', 'retry', 'by', ${retry.by}::text, 'of', ${ref.number}::text),
        ${time(retry.at)}, false, ${answer.state}, gate, approved_at
      FROM builds WHERE id = ${build} RETURNING id),
    attempts AS (INSERT INTO build_attempts (build_id, attempt, created_at) SELECT id, 1, ${time(retry.at)} FROM made)
    INSERT INTO build_inputs (build_id, position, job_id, name, resource_id, version_id, nth)
    SELECT made.id, i.position, i.job_id, i.name, i.resource_id, i.version_id, i.nth
    FROM made, build_inputs i WHERE i.build_id = ${build}`);
  return { ...done(pipeline, stopped), build: { ...ref, number: answer.number } };
}

type Row = Omit<RetryFacts, 'number' | 'job'> & { job: NonNullable<RetryFacts['job']> | null };

async function gather(connection: Transaction, build: number): Promise<Row> {
  return await connection.one(rows<Row>()`
    SELECT b.status, b.approved_at IS NOT NULL AS approved,
      (SELECT max(o.retry) FROM builds o WHERE o.job_id = b.job_id AND o.number = b.number) AS retries,
      EXISTS (SELECT 1 FROM build_inputs i LEFT JOIN versions v ON v.id = i.version_id
        WHERE i.build_id = b.id AND v.id IS NULL) AS "versionGone", ${queuedBuilds(sql.fragment`p.id`)} AS queued,
      CASE WHEN j.deleted_at IS NULL THEN jsonb_build_object('name', j.name, 'paused', j.paused, 'pipelinePaused', p.paused,
        'disableRetry', j.disable_retry, 'interruptible', j.interruptible, 'approval', j.approval IS NOT NULL) END AS job
    FROM builds b JOIN jobs j ON j.id = b.job_id JOIN pipelines p ON p.id = j.pipeline_id WHERE b.id = ${build}`);
}

async function interrupt(connection: Transaction, { build, at }: RetryToWrite): Promise<number[]> {
  const ofJob = sql.fragment`job_id = (SELECT o.job_id FROM builds o WHERE o.id = ${build})`;
  const reason = 'A retry took its place.';
  const stopped = await connection.anyFirst(rows<{ id: number }>()`
    WITH stopped AS (${endUnstarted(ofJob, { reason, at })}) SELECT id FROM stopped`);
  return [...stopped];
}
