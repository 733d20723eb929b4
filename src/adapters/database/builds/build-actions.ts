import { sql } from 'slonik';
import { requestSchedule } from '#adapters/database/checks/request-schedule.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids, rows, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import type { RetryInterrupts } from '#domain/scheduling/interrupt-older.ts';
import type { RetryFacts } from '#domain/scheduling/retry-build.ts';
import type { Gate, GatedBuild } from '#domain/scheduling/vote.ts';
import type { BuildActionTransaction, LockedBuild, RetryToWrite } from '#flows/builds/action-ports.ts';
import type { BuildRef } from '#flows/names.ts';
import { parseNumber } from './build-number.ts';
import { interruptFacts } from './scheduling/interrupt-facts.ts';
import { queuedBuilds } from './scheduling/queued-builds.ts';
import { stopBuilds } from './scheduling/stop-builds.ts';
import { insertGoodVersions } from './write-changes.ts';

export function buildActions(connection: Transaction, pipeline: number): BuildActionTransaction {
  return {
    build: async (ref) => await lockBuild(connection, pipeline, ref),
    async cancel({ id, job }, cancellation) {
      await connection.query(rows()`${stopBuilds(sql.fragment`id = ${id}`, cancellation)}`);
      await connection.query(rows()`${requestSchedule(sql.fragment`SELECT ${job}::bigint`)}`);
    },
    async cancelAll(builds, cancellation) {
      if (builds.length === 0) return [];
      const condition = sql.fragment`id = ANY(${ids(builds)})`;
      const stopped = await connection.anyFirst(rows<{ id: number }>()`
        WITH stopped AS (${stopBuilds(condition, cancellation)}) SELECT id FROM stopped`);
      return [...stopped];
    },
    retryFacts: async (build) => await retryFacts(connection, build),
    retry: async ({ id }, retry) => await insertRetry(connection, id, retry),
    async recordVote({ id }, { by, approve, message = null }, at) {
      await connection.query(rows()`
        INSERT INTO build_votes (build_id, voter, approve, message, voted_at)
        VALUES (${id}, ${by}, ${approve}, ${message}, ${timestamp(at)})`);
    },
    async approve({ id }, at) {
      await connection.query(rows()`
        UPDATE builds SET status = 'pending', approved_at = ${timestamp(at)} WHERE id = ${id}`);
    },
    async reject({ id, job }, { message, at }) {
      await connection.query(rows()`
        UPDATE builds SET status = 'failed', reason = 'Rejected', message = ${message},
          ended_at = ${timestamp(at)} WHERE id = ${id}`);
      await connection.query(rows()`${requestSchedule(sql.fragment`SELECT ${job}::bigint`)}`);
    },
    async markWarning(build, by) {
      await connection.query(rows()`
        UPDATE builds SET status = 'warning', warned_by = ${by} WHERE id = ${build.id}`);
      await connection.query(
        rows()`${requestSchedule(sql.fragment`SELECT ${build.job}::bigint
        UNION SELECT job_id FROM job_gets WHERE passed @> ARRAY[${build.job}::bigint]`)}`,
      );
      await connection.query(rows()`${insertGoodVersions(build)}`);
    },
  };
}

type LockedRow = Pick<LockedBuild, 'id' | 'job' | 'attempt' | 'status'> & {
  gate: Gate | null;
  triggeredBy: string | null;
  votes: GatedBuild['votes'] | null;
};

async function lockBuild(
  connection: Transaction,
  pipeline: number,
  { job, number: buildNumber }: BuildRef,
): Promise<LockedBuild | undefined> {
  const parsed = parseNumber(buildNumber);
  if (parsed === undefined) return undefined;
  const row = await connection.maybeOne(rows<LockedRow>()`
    SELECT b.id, j.id AS job, b.attempt, b.status, b.gate, b.cause ->> 'by' AS "triggeredBy", (
      SELECT jsonb_agg(jsonb_build_object('by', v.voter, 'approve', v.approve)) FROM build_votes v
        WHERE v.build_id = b.id) AS votes
    FROM jobs j JOIN builds b ON b.job_id = j.id
    WHERE j.pipeline_id = ${pipeline} AND j.name = ${job} AND b.number = ${parsed.number} AND b.retry = ${parsed.retry}
    FOR UPDATE OF b`);
  if (row === null) return undefined;
  const { gate, triggeredBy, votes, ...build } = row;
  return {
    ...build,
    votes: votes ?? [],
    ...withoutNulls({ gate, triggeredBy }),
  };
}

type RetriedJob = NonNullable<RetryFacts['job']>;
type RetryRow = Omit<RetryFacts, 'number' | 'job'> & {
  job: Omit<RetriedJob, 'interruptible'> | null;
  /** Null unless the job is interruptible. */
  gets: RetryInterrupts['gets'] | null;
  inputs: RetryInterrupts['inputs'];
};

async function retryFacts(
  connection: Transaction,
  build: Pick<LockedBuild, 'id' | 'job'>,
): Promise<Omit<RetryFacts, 'number'>> {
  const { job, gets, inputs, ...facts } = await connection.one(rows<RetryRow>()`
    SELECT b.status, b.approved_at IS NOT NULL AS approved,
      (SELECT max(o.retry) FROM builds o WHERE o.job_id = b.job_id AND o.number = b.number) AS retries,
      EXISTS (SELECT 1 FROM build_inputs i LEFT JOIN versions v ON v.id = i.version_id
        WHERE i.build_id = b.id AND v.id IS NULL) AS "versionGone", ${queuedBuilds(sql.fragment`p.id`)} AS queued,
      CASE WHEN j.deleted_at IS NULL THEN jsonb_build_object('name', j.name, 'paused', j.paused,
        'pipelinePaused', p.paused, 'disableRetry', j.disable_retry,
        'approval', j.approval IS NOT NULL) END AS job,
      CASE WHEN j.interruptible THEN coalesce((
        SELECT jsonb_agg(jsonb_build_object('resource', g.resource_id, 'trigger', g.trigger))
        FROM job_gets g WHERE g.job_id = j.id), '[]') END AS gets,
      coalesce((
        SELECT jsonb_agg(jsonb_build_object('resource', i.resource_id, 'version', i.version_id) ORDER BY i.position)
        FROM build_inputs i WHERE i.build_id = b.id), '[]') AS inputs
    FROM builds b JOIN jobs j ON j.id = b.job_id JOIN pipelines p ON p.id = j.pipeline_id
    WHERE b.id = ${build.id}`);
  if (job === null) return facts;
  if (gets === null) return { ...facts, job };
  const versions = inputs.map(({ version }) => version);
  const interrupts = await interruptFacts(connection, { jobs: [build.job], versions });
  return { ...facts, job: { ...job, interruptible: { ...interrupts, gets, inputs } } };
}

async function insertRetry(
  connection: Transaction,
  build: number,
  { number, of, state, by, at }: RetryToWrite,
): Promise<void> {
  const { retry = 0 } = parseNumber(number) ?? {};
  await connection.query(rows()`
    WITH made AS (
      INSERT INTO builds (job_id, revision_id, number, retry, cause, input_values, created_at, wants_pod, status, gate,
        approved_at)
      SELECT b.job_id, b.revision_id, b.number, ${retry},
        jsonb_build_object('kind', 'retry', 'by', ${by}::text, 'of', ${of}::text),
        b.input_values, ${timestamp(at)}, false, ${state},
        CASE WHEN ${state} = 'waiting' THEN j.approval WHEN b.approved_at IS NOT NULL THEN b.gate END, b.approved_at
      FROM builds b JOIN jobs j ON j.id = b.job_id WHERE b.id = ${build} RETURNING id),
    attempts AS (INSERT INTO build_attempts (build_id, attempt, created_at) SELECT id, 1, ${timestamp(at)} FROM made)
    INSERT INTO build_inputs (build_id, position, job_id, name, resource_id, version_id, nth)
    SELECT made.id, i.position, i.job_id, i.name, i.resource_id, i.version_id, i.nth
    FROM made, build_inputs i WHERE i.build_id = ${build}`);
}
