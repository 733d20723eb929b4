import { sql, type CommonQueryMethods, type FragmentSqlToken } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { prepared } from '#adapters/database/connection/pool.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import { jobNameIn } from '#adapters/database/revisions/names-in-revision.ts';
import type { StepState } from '#domain/build/build-state.ts';
import { storable } from '#domain/build/storable.ts';
import type { StoredSteps } from '#domain/build/stored-state.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { StoredAttempt } from '#flows/builds/build-transaction.ts';

interface AttemptStateRow {
  status: BuildStatus;
  applied: number;
  steps: StepRow[] | null;
  revision: number;
  pipeline: number;
  job: number;
  allow_failure: boolean;
  current: boolean;
  ended: boolean;
  had_turn: boolean;
  cancel: boolean;
  created_at: Date;
  log_bytes: number;
  log_limit: number | null;
}

type StepRow = { [Key in keyof StepState]-?: StepState[Key] | null } & Pick<
  StepState,
  'id' | 'kind' | 'name' | 'status'
>;

/**
 * Returns undefined if there is no such attempt. `lock`: locks the build's row until the transaction ends.
 */
export async function readState(
  connection: CommonQueryMethods,
  { build, attempt, lock }: { build: number; attempt: number; lock: boolean },
  definitions: Definitions,
): Promise<StoredAttempt | undefined> {
  const row = await connection.maybeOne(prepared<AttemptStateRow>(`build_state_${lock}`)`
    SELECT b.status, a.applied, b.revision_id AS revision, j.pipeline_id AS pipeline, j.id AS job, j.allow_failure,
      b.attempt = a.attempt AS current, b.ended_at IS NOT NULL AS ended,
      b.admitted_at IS NOT NULL AND b.status IN ('pending', 'started') AS had_turn,
        b.cancel_requested_at IS NOT NULL AS cancel,
      b.created_at, a.log_bytes, (
        SELECT t.build_log_bytes FROM pipelines p JOIN teams t ON t.id = p.team_id
        WHERE p.id = j.pipeline_id) AS log_limit, (
        SELECT jsonb_agg(jsonb_build_object('id', step, 'kind', kind, 'name', name, 'resource', resource,
          'parent', parent, 'hook', hook, 'attempt', step_attempt, 'status', status, 'startedAt', started_at,
          'endedAt', ended_at, 'exitCode', exit_code, 'message', message, 'metadata', metadata) ORDER BY position)
        FROM build_steps WHERE build_id = a.build_id AND attempt = a.attempt) AS steps
    FROM builds b JOIN build_attempts a ON a.build_id = b.id JOIN jobs j ON j.id = b.job_id
    WHERE b.id = ${build} AND a.attempt = ${attempt} ${lock ? sql.fragment`FOR UPDATE OF b` : sql.fragment``}`);
  if (row === null) return undefined;
  const recorded = row.steps?.map(toStep);
  const steps: StoredSteps =
    recorded === undefined
      ? await plannedSteps(connection, row, definitions)
      : { kind: 'recorded', steps: recorded };
  return {
    build,
    attempt,
    state: { status: row.status, applied: row.applied, logBytes: row.log_bytes, steps },
    pipelineId: row.pipeline,
    job: row.job,
    allowFailure: row.allow_failure,
    current: row.current,
    ended: row.ended,
    hadTurn: row.had_turn,
    cancel: row.cancel,
    createdAt: row.created_at,
    ...withoutNulls({ logLimitBytes: row.log_limit }),
  };
}

async function plannedSteps(
  connection: CommonQueryMethods,
  { revision, job, ended }: AttemptStateRow,
  definitions: Definitions,
): Promise<StoredSteps> {
  const name = await connection.oneFirst(prepared<{ name: string }>('job_name_in_revision')`
    SELECT ${jobNameIn(sql.fragment`${revision}`)} AS name FROM jobs j WHERE j.id = ${job}`);
  const definition = await definitions.part(connection, { revision, job: name });
  return { kind: 'planned', definition, job: name, ended };
}

function toStep(row: StepRow): StepState {
  const { id, kind, name, status, resource, parent, hook, attempt, startedAt, endedAt } = row;
  const { exitCode, message, metadata } = row;
  return {
    id,
    kind,
    name,
    status,
    ...withoutNulls({ resource, parent, hook, attempt, exitCode, message, metadata }),
    ...withoutNulls({ startedAt: toIsoTime(startedAt), endedAt: toIsoTime(endedAt) }),
  };
}

/** Converts a time from the format of Postgres' JSON functions to that of `Date.toISOString`. */
const toIsoTime = (text: string | null): string | null =>
  text === null ? null : new Date(text).toISOString();

/** SQL: an upsert of the steps. Updates a row only if its status or its attempt changes. */
export function upsertSteps({ build, attempt, steps }: StepsToWrite): FragmentSqlToken {
  return sql.fragment`
      INSERT INTO build_steps AS s (build_id, attempt, position, step, kind, name, resource, parent, hook, step_attempt,
        status, started_at, ended_at, exit_code, message, metadata)
      SELECT ${build}, ${attempt}, n.position, n.id, n.kind, n.name, n.resource, n.parent, n.hook, n.attempt,
        n.status, n."startedAt", n."endedAt", n."exitCode", n.message, n.metadata
      FROM jsonb_to_recordset(${sql.jsonb(steps.map(toRow))}) AS n
        (position integer, id text, kind text, name text, resource text, parent text, hook text,
        attempt integer, status text, "startedAt" timestamptz,
          "endedAt" timestamptz, "exitCode" integer, message text, metadata jsonb)
      ON CONFLICT (build_id, attempt, position) DO UPDATE SET status = excluded.status,
      step_attempt = excluded.step_attempt,
        started_at = excluded.started_at, ended_at = excluded.ended_at, exit_code = excluded.exit_code,
        message = excluded.message, metadata = excluded.metadata
      WHERE (s.status, s.step_attempt) IS DISTINCT FROM (excluded.status, excluded.step_attempt)`;
}

export interface StepsToWrite {
  build: number;
  attempt: number;
  steps: readonly StepState[];
}

function toRow(step: StepState, position: number) {
  return { ...step, position, ...(step.message === undefined ? {} : { message: storable(step.message) }) };
}
