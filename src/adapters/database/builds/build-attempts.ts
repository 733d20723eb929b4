import { sql } from 'slonik';
import { cacheUsesWhere } from '#adapters/database/caches/cache-uses.ts';
import { EpochOver, fence } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { prepared, rows, timestamp, type Database } from '#adapters/database/connection/pool.ts';
import {
  BUILD_COLUMNS,
  BUILD_JOINS,
  PREVIOUS_OUTCOME,
  type BuildRow,
} from '#adapters/database/revisions/build-rows.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import type { RecordedPod } from '#domain/build/pod-ownership.ts';
import type { StartTimes } from '#domain/build/start-times.ts';
import type { StoredState } from '#domain/build/stored-state.ts';
import type { CacheUse } from '#domain/planning/cache-volumes.ts';
import type { PreviousOutcome } from '#domain/planning/plan.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { AttemptFacts } from '#flows/builds/ports.ts';
import type { OpenAttempt } from '#flows/pods/workloads.ts';
import { readState } from './build-steps.ts';

interface AttemptRow {
  podUid: string | null;
  podName: string | null;
  podCreatedAt: Date | null;
}

export async function podCreated(
  database: Database,
  { build, attempt, podUid, at }: { build: number; attempt: number; podUid: string; at: Date },
): Promise<void> {
  const leads = await database.pool.maybeOneFirst(prepared<{ leads: number }>(
    `pod_created_${database.epoch === undefined}`,
  )`
    WITH leads AS (${fence(database)}),
    -- Locks the build's row first, as openSession does, so that the two cannot deadlock.
    locked AS MATERIALIZED (SELECT b.id FROM leads, builds b WHERE b.id = ${build} FOR NO KEY UPDATE OF b),
    attempt AS (
      UPDATE build_attempts SET pod_uid = ${podUid},
        pod_created_at = coalesce(pod_created_at, ${timestamp(at)}) FROM locked
      WHERE build_id = locked.id AND attempt = ${attempt} AND pod_uid IS DISTINCT FROM ${podUid}),
    build AS (
      UPDATE builds SET wants_pod = false, pending_reason = NULL, start_after = NULL, start_refusals = 0 FROM locked
      WHERE builds.id = locked.id AND attempt = ${attempt} AND wants_pod)
    SELECT 1 AS leads FROM leads`);
  if (leads === null) throw new EpochOver(database.epoch?.() ?? 0);
}

/** Does not check the leader epoch, because the times that a former leader saw are right too. */
export async function writeStartTimes(
  { pool }: Database,
  { build, attempt, podUid }: { build: number; attempt: number; podUid: string },
  { scheduledAt, containersStartedAt }: StartTimes,
): Promise<void> {
  const started = containersStartedAt?.toISOString() ?? null;
  await pool.query(prepared('record_start')`
    UPDATE build_attempts
    SET pod_scheduled_at = ${timestamp(scheduledAt)}, containers_started_at = ${started}::timestamptz
    WHERE build_id = ${build} AND attempt = ${attempt} AND pod_uid = ${podUid} AND pod_scheduled_at IS NULL`);
}

/**
 * Stores why a build is pending. A build that has no Pod is tried again after 2, 4, 8 … seconds, at most 60;
 * until then, other builds go first.
 */
export async function explainPending(database: Database, build: number, reason: string): Promise<void> {
  const leads = await database.pool.maybeOneFirst(rows<{ leads: number }>()`
    WITH leads AS (${fence(database)}),
    explained AS (
      UPDATE builds SET pending_reason = ${reason},
        start_refusals = CASE WHEN wants_pod THEN start_refusals + 1 ELSE start_refusals END,
        start_after = CASE WHEN wants_pod
          THEN now() + make_interval(secs => least(60, 2 ^ least(start_refusals + 1, 6))) END
      FROM leads
      WHERE id = ${build} AND status = 'pending' AND (wants_pod OR pending_reason IS DISTINCT FROM ${reason}))
    SELECT 1 AS leads FROM leads`);
  if (leads === null) throw new EpochOver(database.epoch?.() ?? 0);
}

type FactsRow = BuildRow &
  AttemptRow & {
    podScheduledAt: Date | null;
    status: BuildStatus;
    cancelledAt: Date | null;
    cancelReason: string | null;
    retries: number;
    versions: Record<string, string>[] | null;
    inputs: Record<string, string>;
    previousOutcome: PreviousOutcome | null;
    logLimitBytes: number | null;
    caches: CacheUse[] | null;
  };

export async function attemptFacts(
  { pool, definitions }: Database & { definitions: Definitions },
  build: number,
  attempt: number,
): Promise<AttemptFacts | undefined> {
  const found = await pool.maybeOne(prepared<FactsRow>('attempt_facts')`
    SELECT ${BUILD_COLUMNS}, b.status, a.pod_uid AS "podUid", a.pod_name AS "podName",
      a.pod_created_at AS "podCreatedAt", a.pod_scheduled_at AS "podScheduledAt",
      b.cancel_requested_at AS "cancelledAt", b.cancel_reason AS "cancelReason",
      b.input_values AS inputs, t.build_log_bytes AS "logLimitBytes", (
        SELECT count(DISTINCT s.attempt) FROM build_steps s WHERE s.build_id = b.id AND s.attempt < b.attempt
          AND s.status NOT IN ('waiting', 'skipped')) AS retries, (
        SELECT jsonb_agg(v.fields ORDER BY i.position)
        FROM build_inputs i JOIN versions v ON v.id = i.version_id WHERE i.build_id = b.id) AS versions,
      ${PREVIOUS_OUTCOME} AS "previousOutcome",
      ${cacheUsesWhere(sql.fragment`u.build_id = b.id AND u.attempt = b.attempt`)} AS caches
    FROM builds b ${BUILD_JOINS} JOIN build_attempts a ON a.build_id = b.id AND a.attempt = b.attempt
    WHERE b.id = ${build} AND b.attempt = ${attempt}`);
  if (found === null) return undefined;
  const { revision, versions, cancelledAt, cancelReason, ...row } = found;
  const { podScheduledAt, previousOutcome, logLimitBytes, defaultTimeoutSeconds, caches, ...facts } = row;
  const definition = await definitions.part(pool, { revision, job: row.job });
  const cancelled = cancelledAt && {
    at: cancelledAt,
    ...withoutNulls({ reason: cancelReason }),
  };
  return {
    ...withoutPodNulls(facts),
    ...withoutNulls({
      podScheduledAt,
      cancelled,
      previousOutcome,
      logLimitBytes,
      defaultTimeoutSeconds,
      caches,
    }),
    definition,
    versions: versions ?? [],
  };
}

/** Returns the Pod of an attempt, even if the attempt has ended. */
export async function recordedPod(
  { pool }: Database,
  build: number,
  attempt: number,
): Promise<RecordedPod | undefined> {
  const found = await pool.maybeOne(prepared<{ namespace: string; uid: string | null; isExpected: boolean }>(
    'recorded_pod',
  )`
    SELECT p.namespace, a.pod_uid AS uid,
      b.attempt = a.attempt AND b.ended_at IS NULL AND b.admitted_at IS NOT NULL AS "isExpected"
    FROM build_attempts a JOIN builds b ON b.id = a.build_id JOIN jobs j ON j.id = b.job_id
    JOIN pipelines p ON p.id = j.pipeline_id
    WHERE a.build_id = ${build} AND a.attempt = ${attempt}`);
  if (found === null) return undefined;
  const { uid, ...pod } = found;
  return { ...pod, ...withoutNulls({ uid }) };
}

function withoutPodNulls<T extends AttemptRow>({ podUid, podName, podCreatedAt, ...row }: T) {
  return {
    ...row,
    ...withoutNulls({ podUid, podName, podCreatedAt }),
  };
}

export async function openAttempts({ pool }: Database): Promise<OpenAttempt[]> {
  const found = await pool.any(rows<
    BuildRow & AttemptRow & { status: BuildStatus; startedAt: Date | null }
  >()`
    SELECT ${BUILD_COLUMNS}, b.status, b.started_at AS "startedAt", a.pod_uid AS "podUid",
      a.pod_name AS "podName", a.pod_created_at AS "podCreatedAt"
    FROM builds b ${BUILD_JOINS}
    JOIN build_attempts a ON a.build_id = b.id AND a.attempt = b.attempt
    WHERE b.ended_at IS NULL AND b.admitted_at IS NOT NULL ORDER BY b.id`);
  return found.map(({ startedAt, ...row }) => ({
    ...withoutPodNulls(row),
    ...withoutNulls({ startedAt }),
  }));
}

export async function buildState(
  database: Database & { definitions: Definitions },
  build: number,
  attempt: number,
): Promise<StoredState | undefined> {
  return (await readState(database.pool, { build, attempt, lock: false }, database.definitions))?.state;
}
