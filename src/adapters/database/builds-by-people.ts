import { sql } from 'slonik';
import type { Status } from '#domain/scheduling/build-changes.ts';
import type { Gate, GatedBuild } from '#domain/scheduling/vote.ts';
import type { ActionStore, Refused, Voted } from '#flows/action-ports.ts';
import type { BuildRef } from '#flows/ports.ts';
import { endUnstarted } from './end-unstarted.ts';
import { done, withPipeline } from './lock-pipeline.ts';
import { parseNumber } from './names.ts';
import { rows, time, type Database, type Transaction } from './pool.ts';
import { requestSchedule } from './record-versions.ts';
import { retryByPerson } from './retry-by-person.ts';
import { insertGoodVersions } from './write-applied.ts';

type OfBuilds = Pick<ActionStore, 'cancelBuild' | 'retryBuild' | 'vote' | 'markWarning'>;

export function buildsByPeople({ pool }: Database): OfBuilds {
  return {
    cancelBuild: (ref, by, decide, at) =>
      withPipeline(pool, ref, async (connection, pipeline) => {
        const build = await lockBuild(connection, pipeline, ref);
        if (build === undefined) return { answer: 'unknown' };
        const answer = decide(build.status);
        if (answer.answer === 'refused') return { answer: 'refused', reasons: [answer.reason] };
        const which = sql.fragment`id = ${build.id}`;
        await connection.query(rows()`${endUnstarted(which, { by, reason: `Cancelled by ${by}.`, at })}`);
        await connection.query(rows()`${requestSchedule(sql.fragment`SELECT ${build.job}::bigint`)}`);
        return done(pipeline, [build.id]);
      }),
    retryBuild: (ref, by, decide, at) =>
      withPipeline(pool, ref, async (connection, pipeline) => {
        const build = await lockBuild(connection, pipeline, ref);
        if (build === undefined) return { answer: 'unknown' };
        return await retryByPerson(connection, { ref, pipeline, build: build.id, by, decide, at });
      }),
    vote: (ref, given, decide, at) =>
      withPipeline(pool, ref, async (connection, pipeline): Promise<Voted | Refused> => {
        const build = await lockBuild(connection, pipeline, ref);
        if (build === undefined) return { answer: 'unknown' };
        const answer = decide(gated(build), given);
        if (answer.answer === 'refused') return { answer: 'refused', reasons: [answer.reason] };
        await connection.query(rows()`
          INSERT INTO build_votes (build_id, voter, approve, message, voted_at)
          VALUES (${build.id}, ${given.by}, ${given.approve}, ${given.message ?? null}, ${time(at)})`);
        const { answer: state, message } = answer;
        if (state !== 'waiting') await pass(connection, build, { answer: state, message, at });
        return { ...done(pipeline), state, message };
      }),
    markWarning: (ref, by, decide) =>
      withPipeline(pool, ref, async (connection, pipeline) => {
        const build = await lockBuild(connection, pipeline, ref);
        if (build === undefined) return { answer: 'unknown' };
        const answer = decide(build.status);
        if (answer.answer === 'refused') return { answer: 'refused', reasons: [answer.reason] };
        await connection.query(rows()`
          UPDATE builds SET status = 'warning', warned_by = ${by} WHERE id = ${build.id}`);
        await connection.query(
          rows()`${requestSchedule(sql.fragment`SELECT ${build.job}::bigint
          UNION SELECT job_id FROM job_gets WHERE passed @> ARRAY[${build.job}::bigint]`)}`,
        );
        await connection.query(rows()`${insertGoodVersions(build)}`);
        return done(pipeline);
      }),
  };
}

interface Build {
  id: number;
  job: number;
  attempt: number;
  status: Status;
  gate: Gate | null;
  by: string | null;
  votes: GatedBuild['votes'] | null;
}

/** Also of a job that the pipeline has no more. */
async function lockBuild(
  connection: Transaction,
  pipeline: number,
  { job, number: name }: BuildRef,
): Promise<Build | undefined> {
  const number = parseNumber(name);
  if (number === undefined) return undefined;
  const found = await connection.maybeOne(rows<Build>()`
    SELECT b.id, j.id AS job, b.attempt, b.status, b.gate, b.cause ->> 'by' AS by, (
      SELECT jsonb_agg(jsonb_build_object('by', v.voter, 'approve', v.approve)) FROM build_votes v WHERE v.build_id = b.id) AS votes
    FROM jobs j JOIN builds b ON b.job_id = j.id
    WHERE j.pipeline_id = ${pipeline} AND j.name = ${job} AND b.number = ${number.number} AND b.retry = ${number.retry}
    FOR UPDATE OF b`);
  return found ?? undefined;
}

function gated({ status, gate, by, votes }: Build): GatedBuild {
  return {
    status,
    gate: gate ?? { approvals: 1 },
    votes: votes ?? [],
    ...(by === null ? {} : { triggeredBy: by }),
  };
}

/** An approved build waits for its turn from now on; one that was rejected has failed, and nothing of it has run. */
async function pass(
  connection: Transaction,
  { id, job }: Build,
  { answer, message, at }: { answer: 'approved' | 'rejected'; message: string; at: Date },
): Promise<void> {
  if (answer === 'approved') {
    await connection.query(rows()`
      UPDATE builds SET status = 'pending', approved_at = ${time(at)} WHERE id = ${id}`);
    return;
  }
  await connection.query(rows()`
    UPDATE builds SET status = 'failed', reason = 'Rejected', message = ${message}, ended_at = ${time(at)} WHERE id = ${id}`);
  await connection.query(rows()`${requestSchedule(sql.fragment`SELECT ${job}::bigint`)}`);
}
