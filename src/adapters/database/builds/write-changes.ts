import { sql, type FragmentSqlToken } from 'slonik';
import { versionDigest } from '#adapters/crypto/digests.ts';
import { writeCacheSizes } from '#adapters/database/caches/cache-uses.ts';
import { addVersions } from '#adapters/database/checks/record-versions.ts';
import { requestSchedule } from '#adapters/database/checks/request-schedule.ts';
import {
  LOCK,
  prepared,
  rows,
  textArray,
  timestamp,
  type Transaction,
} from '#adapters/database/connection/pool.ts';
import { resourceNameIn } from '#adapters/database/revisions/names-in-revision.ts';
import type { StepState } from '#domain/build/build-state.ts';
import { storable, storableFields } from '#domain/build/storable.ts';
import type { AttemptChanges, StoredAttempt } from '#flows/builds/build-transaction.ts';
import { upsertSteps } from './build-steps.ts';
import { encodeText, logMonth } from './log-chunks.ts';

/** Takes one round trip, and more for cache sizes, a put or the end of the build. */
export async function writeChanges(
  connection: Transaction,
  stored: StoredAttempt,
  changes: AttemptChanges,
): Promise<void> {
  const changed = { ...stored, steps: changes.state.steps };
  await writeState(connection, changed, changes);
  if (changes.cacheSizes !== undefined) await writeCacheSizes(connection, stored, changes.cacheSizes);
  for (const put of changes.puts) await writePut(connection, changed, put);
  if (changes.end !== undefined) await writeEnd(connection, stored, changes.end);
}

interface ChangedAttempt extends StoredAttempt {
  /** The steps after the events. */
  steps: StepState[];
}

/** Bytes that a log row takes in addition to its text, including the index entry. */
const ROW_BYTES = 150;

async function writeState(
  connection: Transaction,
  changed: ChangedAttempt,
  changes: AttemptChanges,
): Promise<void> {
  const { build, attempt, createdAt } = changed;
  const logs = changes.logs.map((log) => ({ ...log, stored: encodeText(log.text) }));
  const sequences = sql.array(
    logs.map((log) => log.sequence),
    'int4',
  );
  const contents = sql.array(
    logs.map((log) => log.stored.content),
    'bytea',
  );
  await connection.query(prepared('write_changes')`
    WITH build AS (
      UPDATE builds SET status = 'started',
        started_at = coalesce(started_at, ${changes.startedAt ?? null}::timestamptz),
        wants_pod = false, pending_reason = NULL
      WHERE id = ${build} AND status = 'pending' AND ${changes.startedAt ?? null}::timestamptz IS NOT NULL),
    steps AS (
      ${upsertSteps(changed)}),
    logs AS (
    INSERT INTO build_logs (month, build_id, attempt, sequence, step, logged_at, encoding, content)
    SELECT ${logMonth(createdAt)}::date, ${build}, ${attempt}, n.sequence, n.step, n.at::timestamptz,
      n.encoding, n.content
    FROM unnest(${sequences}, ${textArray(logs.map((log) => log.step))},
      ${textArray(logs.map((log) => log.at))}, ${textArray(logs.map((log) => log.stored.encoding))},
      ${contents}) AS n (sequence, step, at, encoding, content)
    ON CONFLICT DO NOTHING RETURNING octet_length(content) + ${ROW_BYTES} AS bytes)
    UPDATE build_attempts SET applied = ${changes.state.applied}, log_bytes = ${changes.state.logBytes},
      stored_log_bytes = stored_log_bytes + (SELECT coalesce(sum(bytes), 0) FROM logs)
    WHERE build_id = ${build} AND attempt = ${attempt}`);
}

/**
 * Records the version of a successful put for its resource, for the other resources of its stream, and for
 * the build.
 */
async function writePut(
  connection: Transaction,
  changed: ChangedAttempt,
  put: AttemptChanges['puts'][number],
): Promise<void> {
  const { build, attempt, pipelineId: pipeline, createdAt } = changed;
  const step = changed.steps.find(({ id }) => id === put.step);
  if (step?.resource === undefined) return;
  const putTarget = await lockPutTargets(connection, { build, pipeline, resource: step.resource });
  if (putTarget === undefined) return;
  const origin = { at: new Date(step.endedAt ?? createdAt), build };
  for (const scope of [putTarget.scope, ...putTarget.stream])
    await addVersions(connection, scope, [put.version], origin);
  await connection.query(rows()`
    INSERT INTO build_outputs (build_id, attempt, step, resource_id, version_id)
    SELECT ${build}, ${attempt}, ${put.step}, ${putTarget.id}, id FROM versions
    WHERE scope_id = ${putTarget.scope} AND digest = ${sql.binary(versionDigest(storableFields(put.version)))}
    ON CONFLICT DO NOTHING`);
}

interface PutTarget {
  id: number;
  scope: number;
  /** Scopes of the same stream in other pipelines of the team. */
  stream: number[];
}

/**
 * Locks all scopes that get the version, in order of id, so that two puts into a stream cannot deadlock. If
 * the build has an older revision, the version goes into the scope that the resource had in that revision.
 */
async function lockPutTargets(
  connection: Transaction,
  { build, pipeline, resource }: { build: number; pipeline: number; resource: string },
): Promise<PutTarget | undefined> {
  const targets = await connection.any(rows<{ id: number; scope: number; own: boolean }>()`
    WITH own AS (
      SELECT r.id, r.name, r.stream, p.team_id FROM resources r JOIN pipelines p ON p.id = r.pipeline_id
      WHERE r.pipeline_id = ${pipeline}
        AND (r.name = ${resource} OR r.id IN (SELECT resource_id FROM resource_names WHERE name = ${resource}))
        AND ${resourceNameIn(sql.fragment`(SELECT revision_id FROM builds WHERE id = ${build})`)} = ${resource}
      -- A resource that got the name later has a larger id.
      ORDER BY r.id LIMIT 1),
    targets AS (
      SELECT id FROM own
      UNION
      SELECT r.id FROM own o JOIN resources r ON r.name = o.name AND r.stream AND r.deleted_at IS NULL
      JOIN pipelines p ON p.id = r.pipeline_id AND p.team_id = o.team_id AND p.deleted_at IS NULL
      WHERE o.stream)
    SELECT r.id, s.id AS scope, r.pipeline_id = ${pipeline} AS own
    FROM targets t JOIN resources r ON r.id = t.id JOIN check_scopes s ON s.id = CASE
      WHEN r.pipeline_id = ${pipeline} THEN coalesce((
        SELECT c.scope_id FROM scope_changes c WHERE c.resource_id = r.id AND c.revision <= (
          SELECT v.number FROM builds b JOIN revisions v ON v.id = b.revision_id WHERE b.id = ${build})
        ORDER BY c.revision DESC LIMIT 1), r.scope_id)
      ELSE r.scope_id END
    ORDER BY s.id FOR UPDATE OF s`);
  const ownTarget = targets.find((target) => target.own);
  const otherScopes = targets.filter((target) => !target.own).map(({ scope }) => scope);
  return ownTarget && { ...ownTarget, stream: otherScopes };
}

/**
 * Takes a shared lock on the pipeline, so that saves and decisions, which lock it exclusively, wait until the
 * transaction ends. Call it before the row of the build is locked, because transactions that decide and then
 * stop builds lock in this order.
 */
export async function lockForEnd(connection: Transaction, build: number): Promise<void> {
  await connection.query(prepared('lock_for_end')`
    SELECT pg_advisory_xact_lock_shared(${LOCK.pipeline}, j.pipeline_id::int)
    FROM builds b JOIN jobs j ON j.id = b.job_id WHERE b.id = ${build}`);
}

/**
 * Writes the outcome and, if the build is good, its good versions. Requests a decision on the job and, if the
 * build is good, on the jobs downstream.
 */
async function writeEnd(
  connection: Transaction,
  { build, attempt, job }: StoredAttempt,
  { status, good, reason, at, byAgent, ...end }: NonNullable<AttemptChanges['end']>,
): Promise<void> {
  const message = storable(end.message);
  const endedAt = timestamp(new Date(at));
  await connection.query(prepared('end_build')`
    WITH ended AS (
      UPDATE builds SET status = ${status}, reason = ${reason}, wants_pod = false, pending_reason = NULL,
        ended_at = ${endedAt}, agent_ended = ${byAgent},
        message = CASE
          WHEN ${status}::text <> 'cancelled' OR starts_with(${message}, cancel_reason) THEN ${message}
          ELSE coalesce(cancel_reason, ${message}) END
      WHERE id = ${build}),
    attempt AS (
      UPDATE build_attempts SET ended_at = ${endedAt} WHERE build_id = ${build} AND attempt = ${attempt}),
    requested AS (
      ${requestSchedule(sql.fragment`SELECT ${job}::bigint
      UNION SELECT job_id FROM job_gets WHERE passed @> ARRAY[${job}::bigint] AND ${good}`)})
    ${insertGoodVersions(
      { id: build, job, attempt },
      // Versions are locked after jobs, as in `moveVersions`.
      sql.fragment`WHERE ${good} AND (SELECT count(*) FROM requested) >= 0`,
    )}`);
}

/**
 * SQL: stores the versions that a good build took or made as its good versions, which `passed` asks for. `FOR
 * SHARE` makes `moveVersions` wait until the commit.
 */
export function insertGoodVersions(
  { id, job, attempt }: { id: number; job: number; attempt: number },
  where: FragmentSqlToken = sql.fragment``,
): FragmentSqlToken {
  return sql.fragment`INSERT INTO good_versions (job_id, resource_id, version_id, build_id, scope_id, place)
      SELECT ${job}::bigint, used.resource_id, v.id, ${id}::bigint, v.scope_id, v.place FROM (
        SELECT resource_id, version_id FROM build_inputs WHERE build_id = ${id}
        UNION SELECT resource_id, version_id FROM build_outputs WHERE build_id = ${id} AND attempt = ${attempt}) AS used
      JOIN versions v ON v.id = used.version_id
      ${where}
      ORDER BY v.id FOR SHARE OF v
      ON CONFLICT DO NOTHING`;
}
