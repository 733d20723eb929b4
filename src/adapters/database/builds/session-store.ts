import { sql } from 'slonik';
import { prepared, rows, timestamp, type Database } from '#adapters/database/connection/pool.ts';
import type { WorkSession } from '#domain/build/agent-session.ts';
import type { SessionStore, WarmOpened } from '#flows/builds/session-ports.ts';

type Opened = 'opened' | 'same' | 'taken' | 'over';

export function sessionStore({ pool }: Pick<Database, 'pool'>): SessionStore {
  return {
    async openSession(session, keyHash, podUid, at) {
      // If another key opens the session at the same moment, the first call may neither insert a session nor
      // see the other one. The second call sees it.
      return (
        (await open(pool, session, { keyHash, podUid, at })) ??
        (await open(pool, session, { keyHash, podUid, at })) ??
        'over'
      );
    },
    async sessionOf(keyHash) {
      const found = await pool.maybeOne(prepared<{
        build_id: number | null;
        attempt: number | null;
        run_id: number | null;
        warm: number | null;
      }>('session_of')`
        SELECT build_id, attempt, run_id, NULL::bigint AS warm FROM agent_sessions WHERE key_hash = ${keyHash}
        UNION ALL
        SELECT NULL, NULL, NULL, id FROM warm_pods WHERE key_hash = ${keyHash} AND state IN ('creating', 'ready')`);
      if (found === null) return undefined;
      const { build_id: build, attempt, run_id: run, warm } = found;
      if (warm !== null) return { kind: 'warm', warm };
      if (build !== null && attempt !== null) return { kind: 'build', build, attempt };
      return run === null ? undefined : { kind: 'checks', run };
    },
    openWarm: async (warm, keyHash, podUid) => await openWarm(pool, warm, { keyHash, podUid }),
    async warmReady(warm, at) {
      await pool.query(prepared(`warm_ready`)`
        UPDATE warm_pods SET state = 'ready', ready_at = ${timestamp(at)} WHERE id = ${warm} AND state = 'creating'`);
    },
    async countIdentityTokens({ build, attempt }, { count, max }) {
      const found = await pool.maybeOneFirst(rows<{ counted: boolean }>()`
        WITH running AS (
          SELECT b.id FROM builds b WHERE b.id = ${build} AND b.attempt = ${attempt} AND b.ended_at IS NULL),
        counted AS (
          UPDATE build_attempts a SET identity_tokens = a.identity_tokens + ${count} FROM running
          WHERE a.build_id = running.id AND a.attempt = ${attempt} AND a.identity_tokens + ${count} <= ${max}
          RETURNING a.build_id)
        SELECT EXISTS (SELECT 1 FROM counted) AS counted FROM running`);
      if (found === null) return 'over';
      return found ? 'counted' : 'too-many';
    },
  };
}

interface Claim {
  keyHash: string;
  podUid: string;
  at: Date;
}

async function open(
  pool: Database['pool'],
  session: WorkSession,
  { keyHash, podUid, at }: Claim,
): Promise<Opened | undefined> {
  const { live, values, where } =
    session.kind === 'build' ? buildQuery(session, podUid) : runQuery(session, at);
  const found = await pool.one(prepared<{
    live: boolean;
    inserted: boolean;
    key: string | null;
    uid: string | null;
  }>(`open_session_${session.kind}`)`
    WITH live AS (${live}),
    inserted AS (
      INSERT INTO agent_sessions (build_id, attempt, run_id, key_hash, pod_uid, opened_at)
      SELECT ${values}, ${keyHash}, ${podUid}, ${timestamp(at)} FROM live WHERE live.uid IS NULL OR live.uid = ${podUid}
      ON CONFLICT DO NOTHING RETURNING build_id, attempt),
    -- The agent may connect before the operator has recorded the Pod, or after the operator died before that.
    attempt AS (
      UPDATE build_attempts a SET pod_uid = ${podUid}, pod_created_at = coalesce(a.pod_created_at, ${timestamp(at)})
      FROM inserted WHERE a.build_id = inserted.build_id AND a.attempt = inserted.attempt AND a.pod_uid IS NULL
        RETURNING a.build_id),
    build AS (
      UPDATE builds b SET wants_pod = false, pending_reason = NULL, start_after = NULL, start_refusals = 0
      FROM attempt WHERE b.id = attempt.build_id AND b.wants_pod)
    SELECT EXISTS (SELECT 1 FROM live) AS live, EXISTS (SELECT 1 FROM inserted) AS inserted,
      (SELECT key_hash FROM agent_sessions WHERE ${where}) AS key, (SELECT uid FROM live) AS uid`);
  if (!found.live) return 'over';
  if (found.inserted) return 'opened';
  if (found.key !== null) return found.key === keyHash ? 'same' : 'taken';
  return found.uid !== null && found.uid !== podUid ? 'taken' : undefined;
}

interface WarmRow {
  uid: string | null;
  state: string;
  key: string | null;
  opened: boolean;
  build: number | null;
  attempt: number | null;
}

/**
 * Stores the key of the agent in a warm Pod. If a second key comes with the credential of that agent, someone
 * else may have the credential. Then the warm Pod fails, unless a build has taken it.
 */
async function openWarm(
  pool: Database['pool'],
  warm: number,
  { keyHash, podUid }: Omit<Claim, 'at'>,
): Promise<WarmOpened> {
  const found = await pool.maybeOne(prepared<WarmRow>('open_warm')`
    WITH locked AS MATERIALIZED (SELECT * FROM warm_pods WHERE id = ${warm} FOR UPDATE),
    opened AS (
      UPDATE warm_pods w SET key_hash = ${keyHash} FROM locked
      WHERE w.id = locked.id AND locked.state = 'creating' AND locked.pod_uid = ${podUid} AND locked.key_hash IS NULL
      RETURNING w.id),
    failed AS (
      UPDATE warm_pods w SET state = 'failed', failure = 'A second key showed the credential of its agent.' FROM locked
      WHERE w.id = locked.id AND locked.state IN ('creating', 'ready') AND locked.pod_uid = ${podUid}
        AND locked.key_hash <> ${keyHash})
    SELECT locked.pod_uid AS uid, locked.state, locked.key_hash AS key, EXISTS (SELECT 1 FROM opened) AS opened,
      locked.build_id AS build, locked.attempt FROM locked`);
  if (found === null || found.state === 'failed') return { answer: 'over' };
  if (found.uid === null) return { answer: 'not-yet' };
  if (found.uid !== podUid) return { answer: 'over' };
  if (found.opened) return { answer: 'opened' };
  if (found.key === keyHash) return { answer: 'same' };
  const { build, attempt } = found;
  return build === null || attempt === null
    ? { answer: 'taken' }
    : { answer: 'taken', build: { build, attempt } };
}

/**
 * SQL for the session of a build; `runQuery` returns that of a check run. `live` has a row with the Pod's UID
 * if the build has its turn and has not ended, or if the run is open, which it also marks as seen. `values`
 * are the columns of a new row. `where` finds the existing row.
 */
function buildQuery({ build, attempt }: { build: number; attempt: number }, podUid: string) {
  return {
    live: sql.fragment`
      SELECT a.pod_uid AS uid FROM builds b JOIN build_attempts a ON a.build_id = b.id AND a.attempt = b.attempt
      WHERE b.id = ${build} AND b.attempt = ${attempt} AND b.ended_at IS NULL AND b.admitted_at IS NOT NULL
        AND ${podUid} <> '' FOR NO KEY UPDATE OF b`,
    values: sql.fragment`${build}::bigint, ${attempt}::integer, NULL::bigint`,
    where: sql.fragment`build_id = ${build} AND attempt = ${attempt}`,
  };
}

function runQuery({ run }: { run: number }, at: Date) {
  return {
    live: sql.fragment`
      UPDATE check_runs SET seen_at = coalesce(seen_at, ${timestamp(at)}) WHERE id = ${run} AND closed_at IS NULL
      RETURNING pod_uid AS uid`,
    values: sql.fragment`NULL::bigint, NULL::integer, ${run}::bigint`,
    where: sql.fragment`run_id = ${run}`,
  };
}
