import { sql, type FragmentSqlToken } from 'slonik';
import { parseNumber } from '#adapters/database/builds/build-number.ts';
import { rows, timestamp, type Database, type Transaction } from '#adapters/database/connection/pool.ts';
import { audit } from '#adapters/database/people/audit-store.ts';
import { defined } from '#defined';
import type { DebugEnd } from '#domain/build/debug-session.ts';
import type { DebugTarget } from '#domain/build/decide-debug.ts';
import type {
  DebugSessionToOpen,
  DebugStore,
  DebugTransaction,
  LockedDebugSession,
} from '#flows/builds/debug-ports.ts';
import type { AttemptRef } from '#flows/builds/ports.ts';
import type { BuildRef } from '#flows/names.ts';
import { debugMessages } from './debug-messages.ts';

export function debugStore({ pool }: Database): DebugStore {
  return {
    target: async (ref) => await targetOf(pool, ref),
    open: async (session, maxSessions) =>
      await pool.transaction(async (connection) => await open(connection, session, maxSessions)),
    withAttempt: async ({ build, attempt }, work) =>
      await pool.transaction(async (connection) => {
        const condition = sql.fragment`s.build_id = ${build} AND s.attempt = ${attempt} AND s.state <> 'ended'`;
        return await work(debugTransaction(connection), await lockSessions(connection, condition));
      }),
    withSession: async ({ id, ref, by }, work) =>
      await pool.transaction(async (connection) => {
        const condition = sql.fragment`s.id = ${id} AND s.team = ${ref.team} AND s.target = ${targetName(ref)}
          AND s.opened_by = ${by}`;
        const [session] = await lockSessions(connection, condition);
        return session === undefined ? undefined : await work(debugTransaction(connection), session);
      }),
    // Includes sessions that have ended: the caller deletes their rows too.
    withForgotten: async (since, work) => {
      await pool.transaction(async (connection) => {
        const forgotten = await lockSessions(connection, sql.fragment`s.seen_at < ${timestamp(since)}`);
        if (forgotten.length > 0) await work(debugTransaction(connection), forgotten);
      });
    },
  };
}

const targetName = ({ pipeline, job, number }: BuildRef): string => `${pipeline}/${job}/${number}`;

/** `steps` has the running steps, except services and steps that only contain other steps. */
async function targetOf(
  pool: Database['pool'],
  ref: BuildRef,
): Promise<(DebugTarget & AttemptRef) | undefined> {
  const parsed = parseNumber(ref.number);
  if (parsed === undefined) return undefined;
  const found = await pool.maybeOne(rows<DebugTarget & AttemptRef>()`
    SELECT t.name AS team, t.debug AS allowed, b.id AS build, b.attempt, b.status = 'started' AS started,
      b.ended_at IS NOT NULL AS ended, coalesce((
        SELECT jsonb_agg(jsonb_build_object('id', s.step, 'kind', s.kind, 'name', s.name) ORDER BY s.position)
        FROM build_steps s WHERE s.build_id = b.id AND s.attempt = b.attempt AND s.status = 'started'
          AND s.kind NOT IN ('service', 'parallel', 'branch')), '[]') AS steps
    FROM teams t JOIN pipelines p ON p.team_id = t.id JOIN jobs j ON j.pipeline_id = p.id
      JOIN builds b ON b.job_id = j.id
    WHERE t.name = ${ref.team} AND t.deleted_at IS NULL AND p.name = ${ref.pipeline} AND p.deleted_at IS NULL
      AND j.name = ${ref.job} AND b.number = ${parsed.number} AND b.retry = ${parsed.retry}`);
  return found ?? undefined;
}

/**
 * Locks the build's row, because otherwise two people could both open the last session that the limit allows.
 */
async function open(
  connection: Transaction,
  { ref, build, attempt, step, by, command, terminal, at }: DebugSessionToOpen,
  maxSessions: number,
): Promise<number | 'full'> {
  await connection.query(rows()`SELECT 1 FROM builds WHERE id = ${build} FOR NO KEY UPDATE`);
  const count = await connection.oneFirst(rows<{ count: number }>()`
    SELECT count(*) FROM debug_sessions WHERE build_id = ${build} AND state <> 'ended'`);
  if (count >= maxSessions) return 'full';
  const target = targetName(ref);
  const [columns, height] = [terminal?.columns ?? null, terminal?.rows ?? null];
  const now = timestamp(at);
  const id = await connection.oneFirst(rows<{ id: number }>()`
    INSERT INTO debug_sessions (build_id, attempt, step, step_name, team, target, opened_by, command, columns, rows,
      opened_at, input_at, seen_at)
    VALUES (${build}, ${attempt}, ${step.id}, ${step.name}, ${ref.team}, ${target}, ${by},
      ${JSON.stringify(command)}::jsonb, ${columns}, ${height}, ${now}, ${now}, ${now}) RETURNING id`);
  const details = { step: step.name, ...programOf(command) };
  const entry = { team: ref.team, actor: by, targetType: 'build', target, details, at };
  await audit(connection, { ...entry, action: 'build.debug_opened' });
  return id;
}

/**
 * Details for the audit log: the program and the number of its arguments. The arguments are left out, because
 * one may be a secret, and not everyone who may read the audit log may see secrets.
 */
function programOf([program, ...values]: readonly string[]): { command?: string; arguments?: number } {
  return program === undefined ? {} : { command: program, arguments: values.length };
}

function debugTransaction(connection: Transaction): DebugTransaction {
  return {
    ...debugMessages(connection),
    async update(id, { state = null, inputAt, seenAt }) {
      const [input, seen] = [inputAt?.toISOString() ?? null, seenAt?.toISOString() ?? null];
      await connection.query(rows()`
        UPDATE debug_sessions SET state = coalesce(${state}, state),
          input_at = coalesce(${input}::timestamptz, input_at),
          seen_at = coalesce(${seen}::timestamptz, seen_at) WHERE id = ${id}`);
    },
    end: async ({ id }, end, at) => await endSession(connection, id, end, at),
    async remove(id) {
      await connection.query(rows()`DELETE FROM debug_sessions WHERE id = ${id}`);
    },
  };
}

async function endSession(connection: Transaction, id: number, end: DebugEnd, at: Date): Promise<void> {
  const { team, target, step, by } = await connection.one(
    rows<{ team: string; target: string; step: string; by: string }>()`
    UPDATE debug_sessions SET state = 'ended', ended = ${JSON.stringify(end)}::jsonb WHERE id = ${id}
    RETURNING team, target, step_name AS step, opened_by AS by`,
  );
  await connection.query(rows()`DELETE FROM debug_messages WHERE session_id = ${id} AND direction = 'input'`);
  const details = { step, reason: end.reason, ...defined({ exit_code: end.exitCode }) };
  const entry = { team, actor: by, targetType: 'build', target, details, at };
  await audit(connection, { ...entry, action: 'build.debug_ended' });
}

/**
 * Row of a session, which may have ended. `lockSessions` returns ended sessions with the state `open`: only
 * `end` tells that they have ended.
 */
type SessionRow = Omit<LockedDebugSession, 'terminal' | 'end' | 'state'> & {
  state: LockedDebugSession['state'] | 'ended';
  columns: number | null;
  height: number | null;
  end: DebugEnd | null;
};

async function lockSessions(
  connection: Transaction,
  condition: FragmentSqlToken,
): Promise<LockedDebugSession[]> {
  const found = await connection.any(rows<SessionRow>()`
    SELECT s.id, s.build_id AS build, s.attempt, s.step, s.opened_by AS "openedBy", s.command, s.columns,
      s.rows AS height, s.state, s.opened_at AS "openedAt", s.input_at AS "inputAt", s.seen_at AS "seenAt",
      s.last_input AS "lastInput", s.last_output AS "lastOutput", s.ended AS "end", t.debug AS allowed,
      b.status = 'started' AND b.attempt = s.attempt AND b.ended_at IS NULL AS running
    FROM debug_sessions s JOIN builds b ON b.id = s.build_id JOIN jobs j ON j.id = b.job_id
      JOIN pipelines p ON p.id = j.pipeline_id JOIN teams t ON t.id = p.team_id
    WHERE ${condition} ORDER BY s.id FOR UPDATE OF s`);
  return found.map(({ columns, height, end, state, ...session }) => ({
    ...session,
    state: state === 'opening' ? 'opening' : 'open',
    ...(columns !== null && height !== null && { terminal: { columns, rows: height } }),
    ...(end !== null && { end }),
  }));
}
