import { EpochOver, fence, withEpoch } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { prepared, rows, timestamp, type Database } from '#adapters/database/connection/pool.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import type { RecordedWarmPod, WarmPodRow, WarmPodStore } from '#flows/pods/warm-ports.ts';
import { teamActivity } from './team-activity.ts';

export function warmPodStore(database: Database & { definitions: Definitions }): WarmPodStore {
  return {
    waitingPods: async () => await waitingPods(database),
    activity: async (team, since) => await teamActivity(database, team, since),
    async add(team, { namespace, shape, at }) {
      const add = rows<{ id: number }>()`
        INSERT INTO warm_pods (team_id, namespace, shape, created_at)
        SELECT id, ${namespace}, ${shape}, ${timestamp(at)} FROM teams
        WHERE name = ${team} AND deleted_at IS NULL RETURNING id`;
      const id = await withEpoch(database, async (connection) => await connection.maybeOneFirst(add));
      return id ?? undefined;
    },
    async created(id, { name, uid }) {
      const record = rows()`
        UPDATE warm_pods SET name = ${name}, pod_uid = ${uid} WHERE id = ${id} AND pod_uid IS NULL`;
      await withEpoch(database, async (connection) => await connection.query(record));
    },
    async fail(id, failure) {
      const fail = rows()`
        UPDATE warm_pods SET state = 'failed', failure = ${failure}
        WHERE id = ${id} AND state IN ('creating', 'ready') RETURNING id`;
      return await withEpoch(database, async (connection) => (await connection.any(fail)).length > 0);
    },
    async remove(id) {
      const remove = rows()`DELETE FROM warm_pods WHERE id = ${id} AND state <> 'taken' RETURNING id`;
      return await withEpoch(database, async (connection) => (await connection.any(remove)).length > 0);
    },
    async removeUsed(before) {
      const remove = rows()`
        DELETE FROM warm_pods w USING builds b
        WHERE w.state = 'taken' AND w.taken_at < ${timestamp(before)} AND b.id = w.build_id
          AND (b.ended_at < ${timestamp(before)} OR b.attempt <> w.attempt)`;
      await withEpoch(database, async (connection) => await connection.query(remove));
    },
    take: async (build, request) => await take(database, build, request),
    rowOf: async (id) => await rowOf(database, id),
  };
}

async function waitingPods({ pool }: Database): Promise<RecordedWarmPod[]> {
  const found = await pool.any(prepared<
    Omit<RecordedWarmPod, 'name' | 'podUid'> & { name: string | null; podUid: string | null }
  >('waiting_warm_pods')`
    SELECT w.id, t.name AS team, w.namespace, w.shape, w.state, w.created_at AS "createdAt", w.name,
      w.pod_uid AS "podUid"
    FROM warm_pods w JOIN teams t ON t.id = w.team_id WHERE w.state <> 'taken' ORDER BY w.id`);
  return found.map(({ name, podUid, ...pod }) => ({ ...pod, ...withoutNulls({ name, podUid }) }));
}

/**
 * Gives the build a ready warm Pod of this shape, and the session of the Pod's agent, in one statement.
 * Returns undefined if there is none, or if the build needs no Pod. Two builds never get the same Pod,
 * because each locks the Pod that it takes and skips locked Pods.
 */
async function take(
  database: Database,
  { build, attempt }: { build: number; attempt: number },
  { team, shape, at }: { team: string; shape: string; at: Date },
): Promise<{ id: number } | undefined> {
  const found = await database.pool.maybeOne(prepared<{ id: number | null }>(
    `take_warm_pod_${database.epoch === undefined}`,
  )`
    WITH leads AS (${fence(database)}),
    locked AS MATERIALIZED (
      SELECT b.id, a.attempt FROM leads, builds b JOIN build_attempts a ON a.build_id = b.id AND a.attempt = b.attempt
      WHERE b.id = ${build} AND b.attempt = ${attempt} AND b.wants_pod AND b.status = 'pending'
        AND b.admitted_at IS NOT NULL AND b.ended_at IS NULL AND a.pod_uid IS NULL
      FOR NO KEY UPDATE OF b),
    ready AS MATERIALIZED (
      SELECT w.id FROM locked, warm_pods w JOIN teams t ON t.id = w.team_id
      WHERE t.name = ${team} AND w.shape = ${shape} AND w.state = 'ready'
      ORDER BY w.id LIMIT 1 FOR UPDATE OF w SKIP LOCKED),
    taken AS (
      UPDATE warm_pods w SET state = 'taken', taken_at = ${timestamp(at)}, build_id = locked.id, attempt = locked.attempt
      FROM ready, locked WHERE w.id = ready.id
      RETURNING w.id, w.build_id, w.attempt, w.pod_uid, w.name, w.key_hash),
    attempt AS (
      UPDATE build_attempts a
      SET pod_uid = taken.pod_uid, pod_name = taken.name, pod_created_at = ${timestamp(at)}
      FROM taken WHERE a.build_id = taken.build_id AND a.attempt = taken.attempt),
    session AS (
      INSERT INTO agent_sessions (build_id, attempt, key_hash, pod_uid, opened_at)
      SELECT build_id, attempt, key_hash, pod_uid, ${timestamp(at)} FROM taken),
    build AS (
      UPDATE builds b SET wants_pod = false, pending_reason = NULL, start_after = NULL, start_refusals = 0
      FROM taken WHERE b.id = taken.build_id)
    SELECT (SELECT id FROM taken) AS id FROM leads`);
  if (found === null) throw new EpochOver(database.epoch?.() ?? 0);
  return found.id === null ? undefined : { id: found.id };
}

async function rowOf({ pool }: Database, id: number): Promise<WarmPodRow | undefined> {
  const found = await pool.maybeOne(prepared<{
    state: string;
    namespace: string;
    podUid: string | null;
    build: number | null;
    attempt: number | null;
  }>('warm_pod_row')`
    SELECT state, namespace, pod_uid AS "podUid", build_id AS build, attempt FROM warm_pods WHERE id = ${id}`);
  if (found === null) return undefined;
  const { state, namespace, podUid, build, attempt } = found;
  if (build !== null && attempt !== null && podUid !== null)
    return { state: 'taken', namespace, podUid, build, attempt };
  return { state: state === 'failed' ? 'failed' : 'waiting', namespace, ...withoutNulls({ podUid }) };
}
