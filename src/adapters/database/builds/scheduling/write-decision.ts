import { sql, type FragmentSqlToken } from 'slonik';
import { ids, prepared, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import type { Decision } from '#domain/scheduling/decision.ts';
import type { DecisionWritten, WriteOptions } from '#flows/builds/schedule-ports.ts';
import { rowsOf, type MadeRow } from './decision-rows.ts';
import type { GatheredJob } from './gather.ts';
import { stopBuilds } from './stop-builds.ts';

interface WrittenRow extends MadeRow {
  /** False: the decision stopped this older build (see `stopBuilds`). */
  made: boolean;
}

const SUPERSEDED = 'A newer build of the job took its place.';

/**
 * Writes a decision with one statement: builds and their inputs, the end of superseded and interrupted
 * builds, settled versions, the answers to requests, and for each job the number of the last request that
 * this decision covers. Locks jobs in order of id and before their gets, as `requestSchedule` and
 * `moveVersions` do.
 */
export async function writeDecision(
  connection: Transaction,
  jobs: GatheredJob[],
  decision: Decision,
  { startAtOnce, at }: WriteOptions,
): Promise<DecisionWritten> {
  if (jobs.length === 0) return { made: [], interrupted: [] };
  const rows = rowsOf(jobs, decision, startAtOnce);
  const writtenBuilds = await connection.any(prepared<WrittenRow>('write_decision')`
    WITH interrupted AS (
      ${endOlder(decision, rows.superseded, at)}),
    ${upstreamEnds(rows.inputs)},
    made AS (
      INSERT INTO builds (job_id, revision_id, number, cause, input_values, created_at, wants_pod, admitted_at, gate,
        status, ended_at, reason, message,
        queue_place)
      SELECT n.job, n.revision, n.number, n.cause, n.inputs, greatest(${timestamp(at)}, u.ended_at), n.at_once,
        CASE WHEN n.at_once THEN greatest(${timestamp(at)}, u.ended_at) END, n.gate, n.status,
        CASE WHEN n.superseded THEN ${timestamp(at)} END, CASE WHEN n.superseded THEN 'Superseded' END,
        CASE WHEN n.superseded THEN ${SUPERSEDED}::text END,
        (SELECT min(coalesce(q.queue_place, q.id)) FROM builds q WHERE q.id = ANY(n.supersedes))
      FROM jsonb_to_recordset(${sql.jsonb(rows.builds)})
        AS n (position integer, job bigint, revision bigint, number integer, cause jsonb, inputs jsonb, gate jsonb,
          status text,
          superseded boolean, supersedes bigint[], at_once boolean)
        LEFT JOIN upstream u ON u.job = n.job AND u.number = n.number ORDER BY n.position
      RETURNING id, job_id, number, cause, created_at),
    attempts AS (
      INSERT INTO build_attempts (build_id, attempt, created_at) SELECT id, 1, created_at FROM made),
    inputs AS (
      INSERT INTO build_inputs (build_id, position, job_id, name, resource_id, version_id, nth)
      SELECT made.id, n.position, made.job_id, n.name, n.resource, n.version, n.nth
      FROM jsonb_to_recordset(${sql.jsonb(rows.inputs)})
        AS n (job bigint, number integer, position integer, name text, resource bigint, version bigint, nth smallint)
      JOIN made ON made.job_id = n.job AND made.number = n.number),
    locked AS MATERIALIZED (
      SELECT id FROM jobs WHERE id = ANY(${ids(rows.seen.map(({ job }) => job))}) ORDER BY id FOR NO KEY UPDATE),
    seen AS (
      UPDATE jobs j SET next_number = n.next, last_scheduled = n.seen
      FROM locked, jsonb_to_recordset(${sql.jsonb(rows.seen)}) AS n (job bigint, next integer, seen bigint)
      WHERE j.id = locked.id AND n.job = locked.id),
    settled AS (
      UPDATE job_gets g SET settled = greatest(g.settled, n.version)
      FROM locked, jsonb_to_recordset(${sql.jsonb(decision.settled)}) AS n (job bigint, get integer, version bigint)
      WHERE g.job_id = locked.id AND n.job = locked.id AND g.position = n.get),
    ${answersTo(decision)}
    SELECT id, job_id AS job, number, true AS made FROM made
    UNION ALL SELECT id, 0, 0, false FROM interrupted ORDER BY id`);
  const interrupted = new Set(writtenBuilds.filter(({ made }) => !made).map(({ id }) => id));
  if (rows.superseded.some(({ id }) => !interrupted.has(id))) throw new SupersededBuildStarted();
  return {
    made: writtenBuilds.filter(({ made }) => made).map(rows.toMadeBuild),
    interrupted: [...interrupted],
  };
}

type Inputs = ReturnType<typeof rowsOf>['inputs'];

/**
 * SQL: when the last upstream build of each new build ended. The new build gets no earlier time of creation.
 * The decision's own time may be earlier, because it was read before the wait for the lock, and agents have
 * clocks of their own.
 */
const upstreamEnds = (inputs: Inputs): FragmentSqlToken => sql.fragment`
    upstream AS (
      SELECT n.job, n.number, max(u.ended_at) AS ended_at
      FROM jsonb_to_recordset(${sql.jsonb(inputs)})
        AS n (job bigint, number integer, position integer, resource bigint, version bigint)
      JOIN job_gets g ON g.job_id = n.job AND g.position = n.position
      JOIN good_versions v ON v.job_id = ANY(g.passed) AND v.resource_id = n.resource AND v.version_id = n.version
      JOIN builds u ON u.id = v.build_id GROUP BY n.job, n.number)`;

/** SQL: gives each request its build, or the reasons why it gets none. */
const answersTo = (decision: Decision): FragmentSqlToken => sql.fragment`
    answered AS (
      UPDATE job_triggers m SET build_id = made.id
      FROM made WHERE m.id = (made.cause ->> 'request')::bigint),
    refused AS (
      UPDATE job_triggers m SET refused = n.reasons
      FROM jsonb_to_recordset(${sql.jsonb(decision.refused)}) AS n (request bigint, reasons jsonb)
      WHERE m.id = n.request)`;

type Superseded = ReturnType<typeof rowsOf>['superseded'];

/**
 * SQL: stops older builds of interruptible jobs, and ends queued builds that a newer build supersedes. A
 * build that has started by then is not superseded.
 */
function endOlder(decision: Decision, superseded: Superseded, at: Date): FragmentSqlToken {
  const queued = sql.fragment`builds.id = ANY(${ids(superseded.map(({ id }) => id))})`;
  return stopBuilds(
    sql.fragment`(builds.id = ANY(${ids(decision.interrupted)})
      OR (${queued} AND builds.status IN ('pending', 'waiting')))`,
    {
      reason: sql.fragment`CASE WHEN ${queued} THEN 'Superseded' ELSE 'Cancelled' END`,
      message: sql.fragment`coalesce((SELECT n.message
        FROM jsonb_to_recordset(${sql.jsonb(superseded)}) AS n (id bigint, message text)
        WHERE n.id = builds.id), ${SUPERSEDED})`,
      at,
    },
  );
}

/**
 * A build to supersede has started since the facts were read. The transaction is rolled back and repeated.
 */
class SupersededBuildStarted extends Error {
  constructor() {
    super('A build to supersede has started.');
    this.name = 'SupersededBuildStarted';
  }
}

/**
 * The most attempts to make and write one decision. Builds start without the pipeline's lock, so during a
 * repeated decision yet another build to supersede can start.
 */
const MAX_DECISIONS = 10;

/** Runs a transaction that decides and writes. Repeats it if a build to supersede has started meanwhile. */
export async function repeatDecision<T>(transaction: () => Promise<T>): Promise<T> {
  for (let decisions = 1; ; decisions += 1) {
    try {
      return await transaction();
    } catch (error) {
      if (!(error instanceof SupersededBuildStarted) || decisions === MAX_DECISIONS) throw error;
    }
  }
}
