import { sql } from 'slonik';
import type { BuildDecision, Decision } from '#domain/scheduling/decision.ts';
import { startsAtOnce } from '#domain/scheduling/start-queued.ts';
import type { BuildRef } from '#flows/ports.ts';
import type { GatheredJob } from './gather.ts';
import type { Gate } from '#domain/scheduling/vote.ts';
import { endUnstarted } from './end-unstarted.ts';
import { ids, prepared, time, type Transaction } from './pool.ts';

interface MadeBuild extends BuildRef {
  id: number;
  /** The manual request that it answers. */
  request?: number;
}

export interface Written {
  made: MadeBuild[];
  /** Builds that were ended or asked to stop because newer ones take their place. */
  interrupted: number[];
}

interface Row {
  id: number;
  job: number;
  number: number;
  made: boolean;
}

const SUPERSEDED = 'A newer build of the job took its place.';

/**
 * Writes all that was decided with one statement: builds and inputs, what becomes of older builds of interruptible jobs, what is settled,
 * answers, and the requests that were seen.
 */
export async function writeDecision(
  connection: Transaction,
  jobs: GatheredJob[],
  decision: Decision,
  at: Date,
): Promise<Written> {
  if (jobs.length === 0) return { made: [], interrupted: [] };
  const builds = numbered(jobs, decision.builds);
  const found = await connection.any(prepared<Row>('write_decision')`
    WITH interrupted AS (
      ${endUnstarted(sql.fragment`builds.job_id = ANY(${ids(decision.interrupted)})`, { reason: SUPERSEDED, at })}),
    made AS (
      INSERT INTO builds (job_id, revision_id, number, cause, created_at, wants_pod, admitted_at, gate, status, ended_at, reason, message)
      SELECT n.job, n.revision, n.number, n.cause, ${time(at)}, n.at_once, CASE WHEN n.at_once THEN ${time(at)} END, n.gate, n.status,
        CASE WHEN n.superseded THEN ${time(at)} END, CASE WHEN n.superseded THEN 'Superseded' END,
        CASE WHEN n.superseded THEN ${SUPERSEDED}::text END
      FROM jsonb_to_recordset(${sql.jsonb(builds.map(toRow))})
        AS n (position integer, job bigint, revision bigint, number integer, cause jsonb, gate jsonb, status text,
          superseded boolean, at_once boolean) ORDER BY n.position
      RETURNING id, job_id, number, cause),
    attempts AS (
      INSERT INTO build_attempts (build_id, attempt, created_at) SELECT id, 1, ${time(at)} FROM made),
    inputs AS (
      INSERT INTO build_inputs (build_id, position, job_id, name, resource_id, version_id)
      SELECT made.id, n.position, made.job_id, n.name, n.resource, n.version
      FROM jsonb_to_recordset(${sql.jsonb(builds.flatMap((build) => build.inputs))})
        AS n (job bigint, number integer, position integer, name text, resource bigint, version bigint)
      JOIN made ON made.job_id = n.job AND made.number = n.number),
    seen AS (
      UPDATE jobs j SET next_number = n.next, last_scheduled = n.seen
      FROM jsonb_to_recordset(${sql.jsonb(seen(jobs, builds, decision))}) AS n (job bigint, next integer, seen bigint)
      WHERE j.id = n.job),
    settled AS (
      UPDATE job_gets g SET settled = greatest(g.settled, n.version)
      FROM jsonb_to_recordset(${sql.jsonb(decision.settled)}) AS n (job bigint, get integer, version bigint)
      WHERE g.job_id = n.job AND g.position = n.get),
    answered AS (
      UPDATE job_triggers m SET build_id = made.id
      FROM made WHERE m.id = (made.cause ->> 'request')::bigint),
    refused AS (
      UPDATE job_triggers m SET refused = n.reasons
      FROM jsonb_to_recordset(${sql.jsonb(decision.refused)}) AS n (request bigint, reasons jsonb)
      WHERE m.id = n.request)
    SELECT id, job_id AS job, number, true AS made FROM made
    UNION ALL SELECT id, 0, 0, false FROM interrupted ORDER BY id`);
  return {
    made: found.filter(({ made }) => made).map((row) => toMade(row, jobs, builds)),
    interrupted: found.filter(({ made }) => !made).map(({ id }) => id),
  };
}

type NumberedBuild = BuildDecision & {
  number: number;
  revision: number;
  gate: Gate | null;
  atOnce: boolean;
  inputs: {
    job: number;
    number: number;
    position: number;
    name: string;
    resource: number;
    version: number;
  }[];
};

/** Numbers follow each other per job: the pipeline's lock makes this the only writer. */
function numbered(jobs: GatheredJob[], builds: BuildDecision[]): NumberedBuild[] {
  const next = new Map(jobs.map((job) => [job.facts.id, job.nextNumber]));
  return builds.map((build) => {
    const job = jobs.find((candidate) => candidate.facts.id === build.job);
    const number = next.get(build.job);
    if (job === undefined || number === undefined)
      throw new Error(`Decided on job ${build.job}, of which nothing was asked.`);
    next.set(build.job, number + 1);
    const inputs = build.versions.map((version, position) => ({
      job: build.job,
      number,
      position,
      name: job.gets[position]?.name ?? '',
      resource: job.gets[position]?.resource ?? 0,
      version,
    }));
    const atOnce = build.state === 'pending' && startsAtOnce(job.hold);
    return { ...build, number, revision: job.revision, gate: job.approval ?? null, atOnce, inputs };
  });
}

function toRow({ job, revision, number, cause, gate, state, atOnce }: NumberedBuild, position: number) {
  const superseded = state === 'superseded';
  return {
    position,
    job,
    revision,
    number,
    cause,
    gate,
    superseded,
    at_once: atOnce,
    status: superseded ? 'cancelled' : state,
  };
}

function seen(jobs: GatheredJob[], builds: NumberedBuild[], decision: Decision) {
  return jobs.map(({ facts, nextNumber, requested }) => ({
    job: facts.id,
    next: nextNumber + builds.filter((build) => build.job === facts.id).length,
    seen: decision.unfinished.includes(facts.id) ? requested - 1 : requested,
  }));
}

function toMade({ id, job, number }: Row, jobs: GatheredJob[], builds: NumberedBuild[]): MadeBuild {
  const gathered = jobs.find((candidate) => candidate.facts.id === job);
  const cause = builds.find((build) => build.job === job && build.number === number)?.cause;
  return {
    id,
    team: gathered?.team ?? '',
    pipeline: gathered?.pipeline ?? '',
    job: gathered?.facts.name ?? '',
    number: String(number),
    ...(cause?.kind === 'manual' ? { request: cause.request } : {}),
  };
}
