import { sql } from 'slonik';
import { EpochOver, fence } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import {
  LOCK,
  prepared,
  timestamp,
  type Database,
  type Transaction,
} from '#adapters/database/connection/pool.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { OpenBuild, StartDecision, StartJob } from '#domain/scheduling/start-queued.ts';
import type { QueueFacts, QueueTransaction } from '#flows/builds/turn-ports.ts';

/** The most queued builds of one job in one decision, so that a long queue does not delay other teams. */
const MAX_QUEUED_OF_JOB = 10;

/**
 * SQL: the position of build `b` in the queue. A build takes over the position of the build that it
 * superseded.
 */
const PLACE = sql.fragment`coalesce(b.queue_place, b.id)`;

const NUMBER = sql.fragment`CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END`;

/**
 * Returns the teams with queued builds. Walks from job to job along an index, so a long queue costs no more
 * than a short one. Teams with the fewest running builds come first, so that they do not wait for a team with
 * a long queue.
 */
export async function teamsWithQueue({ pool }: Database): Promise<number[]> {
  const teams = await pool.anyFirst(prepared<{ team: number }>('teams_with_queue')`
    WITH RECURSIVE queued (job) AS (
      (SELECT job_id FROM builds WHERE admitted_at IS NULL AND status = 'pending' ORDER BY job_id LIMIT 1)
      UNION ALL
      SELECT (SELECT b.job_id FROM builds b WHERE b.admitted_at IS NULL AND b.status = 'pending' AND b.job_id > q.job
        ORDER BY b.job_id LIMIT 1) FROM queued q WHERE q.job IS NOT NULL)
    SELECT w.team FROM (
      SELECT DISTINCT p.team_id AS team FROM queued q JOIN jobs j ON j.id = q.job
        JOIN pipelines p ON p.id = j.pipeline_id
      WHERE p.deleted_at IS NULL) AS w
    LEFT JOIN (
      SELECT p.team_id AS team, count(*) AS running FROM builds b JOIN jobs j ON j.id = b.job_id
        JOIN pipelines p ON p.id = j.pipeline_id
      WHERE b.admitted_at IS NOT NULL AND b.ended_at IS NULL GROUP BY 1) AS r ON r.team = w.team
    ORDER BY coalesce(r.running, 0), w.team`);
  return [...teams];
}

/** Takes five round trips: begin, lock, gather, write, commit. Takes four if nothing changes. */
export async function withQueue<T>(
  database: Database,
  team: number,
  work: (tx: QueueTransaction) => Promise<T>,
): Promise<T> {
  return await database.pool.transaction(async (connection) => {
    const leads = await connection.oneFirst(prepared<{ leads: boolean }>(
      `lock_team_${database.epoch === undefined}`,
    )`
      SELECT (${fence(database)}) IS NOT NULL AS leads FROM pg_advisory_xact_lock(${LOCK.team}, ${team}::int)`);
    if (!leads) throw new EpochOver(database.epoch?.() ?? 0);
    return await work(queueTransaction(connection, team));
  });
}

function queueTransaction(connection: Transaction, team: number): QueueTransaction {
  /** Set by `facts`, so that `write` writes only the reasons that changed. */
  let pendingReasons: Queue['pendingReasons'] = new Map();
  return {
    facts: async () => {
      const queue = await gatherQueue(connection, team);
      ({ pendingReasons } = queue);
      return queue.facts;
    },
    write: async (decision, at) => await writeTurns(connection, { decision, pendingReasons }, at),
  };
}

interface QueueRow {
  limit: number | null;
  jobs: (Omit<StartJob, 'concurrency'> & { concurrency: number | null })[] | null;
  builds: (OpenBuild & { pendingReason: string | null })[] | null;
}

interface Queue {
  facts: QueueFacts;
  /** The stored reason of each queued build. */
  pendingReasons: Map<number, string | null>;
}

/** Reads all running builds, which are few, and the oldest queued ones of each job. */
async function gatherQueue(connection: Transaction, team: number): Promise<Queue> {
  const found = await connection.one(prepared<QueueRow>('gather_queue')`
    WITH RECURSIVE queued (job) AS (
      (SELECT job_id FROM builds WHERE admitted_at IS NULL AND status = 'pending' ORDER BY job_id LIMIT 1)
      UNION ALL
      SELECT (SELECT b.job_id FROM builds b WHERE b.admitted_at IS NULL AND b.status = 'pending' AND b.job_id > q.job
        ORDER BY b.job_id LIMIT 1) FROM queued q WHERE q.job IS NOT NULL),
    of_team AS (
      SELECT q.job FROM queued q JOIN jobs j ON j.id = q.job JOIN pipelines p ON p.id = j.pipeline_id
      WHERE p.team_id = ${team} AND p.deleted_at IS NULL),
    open AS (
      SELECT b.id, ${PLACE} AS place, b.job_id AS job, ${NUMBER} AS number, 'running' AS state,
        NULL AS pending_reason FROM builds b
      WHERE b.admitted_at IS NOT NULL AND b.ended_at IS NULL
      UNION ALL
      SELECT b.id, b.place, b.job, b.number, 'queued', b.pending_reason FROM of_team q CROSS JOIN LATERAL (
        SELECT b.id, ${PLACE} AS place, b.job_id AS job, ${NUMBER} AS number, CASE
          WHEN b.held IS NOT NULL THEN b.pending_reason END AS pending_reason
        FROM builds b WHERE b.job_id = q.job AND b.admitted_at IS NULL AND b.status = 'pending'
          ORDER BY ${PLACE} LIMIT ${MAX_QUEUED_OF_JOB}) AS b),
    own AS (
      SELECT o.*, j.name, j.paused, j.concurrency, j.serial_groups, p.id AS pipeline, p.paused AS pipeline_paused
      FROM open o JOIN jobs j ON j.id = o.job JOIN pipelines p ON p.id = j.pipeline_id
      WHERE p.team_id = ${team})
    SELECT (SELECT running_builds FROM teams WHERE id = ${team}) AS limit,
      (SELECT jsonb_agg(jsonb_build_object('id', id, 'place', place, 'job', job, 'number', number, 'state', state,
        'pendingReason', pending_reason)) FROM own) AS builds,
      (SELECT jsonb_agg(DISTINCT jsonb_build_object('id', job, 'name', name, 'pipeline', pipeline, 'paused', paused,
        'pipelinePaused', pipeline_paused, 'concurrency', concurrency, 'serialGroups', serial_groups))
          FROM own) AS jobs`);
  const builds = found.builds ?? [];
  const facts = {
    ...withoutNulls({ limit: found.limit }),
    builds,
    jobs: (found.jobs ?? []).map(({ concurrency, ...job }) => ({
      ...job,
      ...withoutNulls({ concurrency }),
    })),
    cut: longQueues(builds),
  };
  return { facts, pendingReasons: new Map(builds.map((build) => [build.id, build.pendingReason])) };
}

/** Returns the jobs that may have more queued builds than were read. */
function longQueues(builds: readonly OpenBuild[]): number[] {
  const queued = Map.groupBy(
    builds.filter(({ state }) => state === 'queued'),
    ({ job }) => job,
  );
  return [...queued].filter(([, { length }]) => length >= MAX_QUEUED_OF_JOB).map(([job]) => job);
}

interface TurnRow {
  id: number;
  /** Why the build has no turn yet. Null: it gets its turn. */
  held: Reason[] | null;
  pendingReason: string | null;
}

/**
 * Writes the turns and the changed reasons. Locks builds in order of id, as `stopBuilds` does, so that the
 * two cannot deadlock. Returns the pipelines of the changed builds.
 */
async function writeTurns(
  connection: Transaction,
  { decision, pendingReasons }: { decision: StartDecision; pendingReasons: Queue['pendingReasons'] },
  at: Date,
): Promise<number[]> {
  const heldBuilds: TurnRow[] = decision.held.map(({ build, reasons }) => ({
    id: build,
    held: reasons,
    pendingReason: toPendingReason(reasons),
  }));
  const turns: TurnRow[] = [
    ...decision.start.map((id) => ({ id, held: null, pendingReason: null })),
    ...heldBuilds.filter(({ id, pendingReason }) => pendingReason !== pendingReasons.get(id)),
  ];
  if (turns.length === 0) return [];
  const changed = await connection.anyFirst(prepared<{ pipeline: number }>('write_turns')`
    WITH turns AS (SELECT * FROM jsonb_to_recordset(${sql.jsonb(turns)}) AS n (id bigint, held jsonb,
      "pendingReason" text)),
    locked AS (
      SELECT b.id FROM builds b JOIN turns n ON n.id = b.id
      WHERE b.admitted_at IS NULL AND b.status = 'pending' AND (n.held IS NULL OR b.held IS DISTINCT FROM n.held)
      ORDER BY b.id FOR UPDATE OF b),
    changed AS (
      UPDATE builds b SET held = n.held, pending_reason = n."pendingReason", wants_pod = n.held IS NULL,
        admitted_at = CASE WHEN n.held IS NULL THEN ${timestamp(at)} END
      FROM turns n, locked l WHERE b.id = n.id AND l.id = n.id AND b.admitted_at IS NULL AND b.status = 'pending'
      RETURNING b.job_id)
    SELECT DISTINCT j.pipeline_id AS pipeline FROM changed c JOIN jobs j ON j.id = c.job_id`);
  return [...changed];
}

/** Formats a pending reason: the first code, then all sentences. */
function toPendingReason(reasons: readonly Reason[]): string {
  return `${reasons[0]?.code ?? 'Pending'}: ${reasons.map(({ message }) => message).join(' ')}`;
}
