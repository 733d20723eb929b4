import { sql } from 'slonik';
import type { BuildState, EventsApplied, StepState } from '#domain/build/build-state.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { storable, storableFields } from '#domain/build/storable.ts';
import { readState, type StoredState } from './build-steps.ts';
import type { Definitions } from './definitions.ts';
import { versionDigest } from './digests.ts';
import { lockForEnd, writeEnd } from './end-build.ts';
import { logMonth, storeText } from './log-chunks.ts';
import { prepared, rows, texts, type Database, type Transaction } from './pool.ts';
import { addVersions } from './record-versions.ts';

interface EventsToApply {
  build: number;
  attempt: number;
  events: BuildEvent[];
  apply: (state: BuildState, events: BuildEvent[]) => EventsApplied;
}

/** Four round trips for most batches: begin, read, write, commit; a put or the end of the build takes more. */
export async function applyEvents(
  database: Database & { definitions: Definitions },
  { build, attempt, events, apply }: EventsToApply,
): Promise<{ acknowledged: number; cancel: boolean; pipelineId: number } | 'over'> {
  return await database.pool.transaction(async (connection) => {
    const stored = await readState(connection, { build, attempt, lock: true }, database.definitions);
    if (stored === undefined || !stored.current) return 'over';
    const answer = { cancel: stored.cancel, pipelineId: stored.pipeline };
    const fresh = events.filter((event) => event.sequence > stored.state.applied);
    if (stored.ended && fresh.length > 0) return 'over';
    if (fresh.length === 0) return { acknowledged: stored.state.applied, ...answer };
    const applied = apply(stored.state, fresh);
    const target = { build, attempt, stored, steps: applied.state.steps };
    if (applied.puts.length > 0 || applied.end !== undefined) await lockForEnd(connection, stored.pipeline);
    await writeState(connection, target, applied);
    for (const put of applied.puts) await writePut(connection, target, put);
    if (applied.end !== undefined) {
      const end = { ...applied.end, at: new Date(applied.end.at) };
      await writeEnd(connection, { build, attempt, job: stored.job, end });
    }
    return { acknowledged: applied.state.applied, ...answer };
  });
}

interface Target {
  build: number;
  attempt: number;
  stored: StoredState;
  /** After the events. */
  steps: StepState[];
}

async function writeState(connection: Transaction, target: Target, applied: EventsApplied): Promise<void> {
  const { build, attempt, stored } = target;
  const logs = applied.logs.map((log) => ({ ...log, stored: storeText(log.text) }));
  await connection.query(prepared('apply_events')`
    WITH attempt AS (
      UPDATE build_attempts SET applied = ${applied.state.applied}, log_bytes = ${applied.state.logBytes}
      WHERE build_id = ${build} AND attempt = ${attempt}),
    build AS (
      UPDATE builds SET status = 'started', started_at = coalesce(started_at, ${applied.startedAt ?? null}::timestamptz),
        wants_pod = false, pending_reason = NULL
      WHERE id = ${build} AND status = 'pending' AND ${applied.startedAt ?? null}::timestamptz IS NOT NULL),
    steps AS (
      INSERT INTO build_steps AS s (build_id, attempt, position, step, kind, name, resource, status, started_at, ended_at,
        exit_code, message)
      SELECT ${build}, ${attempt}, n.position, n.id, n.kind, n.name, n.resource, n.status, n."startedAt", n."endedAt",
        n."exitCode", n.message
      FROM jsonb_to_recordset(${sql.jsonb(applied.state.steps.map(toRow))}) AS n
        (position integer, id text, kind text, name text, resource text, status text, "startedAt" timestamptz,
          "endedAt" timestamptz, "exitCode" integer, message text)
      ON CONFLICT (build_id, attempt, position) DO UPDATE SET status = excluded.status,
        started_at = excluded.started_at, ended_at = excluded.ended_at, exit_code = excluded.exit_code,
        message = excluded.message
      WHERE s.status IS DISTINCT FROM excluded.status)
    INSERT INTO build_logs (month, build_id, attempt, sequence, step, logged_at, encoding, content)
    SELECT ${logMonth(stored.createdAt)}::date, ${build}, ${attempt}, n.sequence, n.step, n.at::timestamptz, n.encoding, n.content
    FROM unnest(${sql.array(
      logs.map((log) => log.sequence),
      'int4',
    )}, ${texts(logs.map((log) => log.step))},
      ${texts(logs.map((log) => log.at))}, ${texts(logs.map((log) => log.stored.encoding))},
      ${sql.array(
        logs.map((log) => log.stored.content),
        'bytea',
      )}) AS n (sequence, step, at, encoding, content)
    ON CONFLICT DO NOTHING`);
}

function toRow(step: StepState, position: number) {
  return { ...step, position, ...(step.message === undefined ? {} : { message: storable(step.message) }) };
}

/** The version of a successful put becomes one of the resource, and of the build. */
async function writePut(
  connection: Transaction,
  target: Target,
  put: EventsApplied['puts'][number],
): Promise<void> {
  const { build, attempt, stored } = target;
  const step = target.steps.find((candidate) => candidate.id === put.step);
  if (step?.resource === undefined) return;
  const into = await connection.maybeOne(rows<{ id: number; scope: number }>()`
    SELECT r.id, s.id AS scope FROM resources r JOIN check_scopes s ON s.id = r.scope_id
    WHERE r.pipeline_id = ${stored.pipeline} AND r.name = ${step.resource} FOR UPDATE OF s`);
  if (into === null) return;
  await addVersions(connection, into.scope, [put.version], {
    at: new Date(step.endedAt ?? stored.createdAt),
    build,
  });
  await connection.query(rows()`
    INSERT INTO build_outputs (build_id, attempt, step, resource_id, version_id)
    SELECT ${build}, ${attempt}, ${put.step}, ${into.id}, id FROM versions
    WHERE scope_id = ${into.scope} AND digest = ${sql.binary(versionDigest(storableFields(put.version)))}
    ON CONFLICT DO NOTHING`);
}
