import { sql, type DatabasePool } from 'slonik';
import { parseNumber } from '#adapters/database/builds/build-number.ts';
import { readState } from '#adapters/database/builds/build-steps.ts';
import { pendingReason } from '#adapters/database/builds/scheduling/pending-reason.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { prepared, rows } from '#adapters/database/connection/pool.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import type { SentNotifications } from '#domain/build/sent-notifications.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { RequestedCheck } from '#domain/scheduling/facts.ts';
import type { BuildRef, JobName } from '#flows/names.ts';
import { cutPage, pageSize, type Listed, type Page } from '#flows/page.ts';
import type { StoredBuildDetail } from '#flows/views/complete-views.ts';
import type { ApprovalView, BuildDetail, BuildView } from '#flows/views/ports.ts';

interface StoredRow {
  id: number;
  number: string;
  status: BuildStatus;
  attempt: number;
  reason: string | null;
  message: string | null;
  cancelledBy: string | null;
  warnedBy: string | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  inputValues: Record<string, string>;
}

/** The message of a pending build is the reason why it waits. */
const COLUMNS = sql.fragment`b.id, CASE b.retry WHEN 0 THEN b.number::text
  ELSE b.number || '.' || b.retry END AS number,
  b.status, b.attempt, b.reason, coalesce(b.message, ${pendingReason}) AS message,
  b.cancelled_by AS "cancelledBy", b.warned_by AS "warnedBy", b.created_at AS "createdAt",
    b.started_at AS "startedAt", b.ended_at AS "endedAt",
    b.input_values AS "inputValues"`;

/** SQL: the approval of build `b`. Null if the build needs none. */
const APPROVAL = sql.fragment`CASE WHEN b.gate IS NOT NULL THEN jsonb_build_object(
  'needed', b.gate -> 'approvals', 'votes', coalesce((
    SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('by', v.voter, 'approve', v.approve, 'message', v.message,
      'at', to_char(v.voted_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))) ORDER BY v.voted_at, v.voter)
    FROM build_votes v WHERE v.build_id = b.id), '[]')) END`;

export async function viewBuilds(
  pool: DatabasePool,
  name: JobName,
  page: Page & { status?: BuildStatus },
): Promise<Listed<BuildView> | undefined> {
  const job = await jobId(pool, name);
  if (job === undefined) return undefined;
  const { before, after, status } = page;
  const found = await pool.any(rows<StoredRow>()`
    SELECT ${COLUMNS} FROM builds b
    WHERE b.job_id = ${job}
      ${before === undefined ? sql.fragment`` : sql.fragment`AND b.id < ${before}`}
      ${after === undefined ? sql.fragment`` : sql.fragment`AND b.id > ${after}`}
      ${status === undefined ? sql.fragment`` : sql.fragment`AND b.status = ${status}`}
    ORDER BY b.id ${after === undefined ? sql.fragment`DESC` : sql.fragment`ASC`} LIMIT ${pageSize(page) + 1}`);
  return cutPage(found.map(withoutNulls), page);
}

export async function viewBuild(
  { pool, definitions }: { pool: DatabasePool; definitions: Definitions },
  ref: BuildRef,
): Promise<StoredBuildDetail | undefined> {
  const job = await jobId(pool, ref);
  const parsed = parseNumber(ref.number);
  if (job === undefined || parsed === undefined) return undefined;
  const found = await pool.maybeOne(prepared<
    StoredRow & {
      inputs: BuildDetail['inputs'] | null;
      outputs: BuildDetail['outputs'] | null;
      checks: RequestedCheck[] | null;
      admittedAt: Date | null;
      podCreatedAt: Date | null;
      warmPod: boolean;
      podScheduledAt: Date | null;
      containersStartedAt: Date | null;
      approval: ApprovalView | null;
    }
  >('view_build')`
    SELECT ${COLUMNS}, b.admitted_at AS "admittedAt", a.pod_created_at AS "podCreatedAt",
      a.pod_name IS NOT NULL AS "warmPod", a.pod_scheduled_at AS "podScheduledAt",
      a.containers_started_at AS "containersStartedAt", ${APPROVAL} AS approval, (
      SELECT jsonb_agg(jsonb_build_object('name', i.name, 'resource', r.name, 'version', v.id, 'fields', v.fields)
        ORDER BY i.position)
      FROM build_inputs i JOIN versions v ON v.id = i.version_id JOIN resources r ON r.id = i.resource_id
      WHERE i.build_id = b.id) AS inputs, (
      SELECT jsonb_agg(jsonb_build_object('resource', r.name, 'version', v.id, 'fields', v.fields) ORDER BY v.id)
      FROM build_outputs o JOIN versions v ON v.id = o.version_id JOIN resources r ON r.id = o.resource_id
      WHERE o.build_id = b.id AND o.attempt = b.attempt) AS outputs, b.cause -> 'checks' AS checks
    FROM builds b LEFT JOIN build_attempts a ON a.build_id = b.id AND a.attempt = b.attempt
    WHERE b.job_id = ${job} AND b.number = ${parsed.number} AND b.retry = ${parsed.retry}`);
  if (found === null) return undefined;
  const { inputs, outputs, checks, approval, warmPod, ...columns } = found;
  const { admittedAt, podCreatedAt, podScheduledAt, containersStartedAt, ...row } = columns;
  const stored = await readState(pool, { build: row.id, attempt: row.attempt, lock: false }, definitions);
  return {
    ...withoutNulls(row),
    inputs: inputs ?? [],
    outputs: outputs ?? [],
    steps: stored?.state.steps ?? { kind: 'recorded', steps: [] },
    sent: await sentNotifications(pool, row.id),
    ...(warmPod && { warmPod }),
    ...withoutNulls({ checks, admittedAt, podCreatedAt, podScheduledAt, containersStartedAt, approval }),
  };
}

type SentRow = Omit<SentNotifications, 'error' | 'endedAt'> & { error: string | null; endedAt: Date | null };

async function sentNotifications(pool: DatabasePool, build: number): Promise<SentNotifications[]> {
  const sent = await pool.any(prepared<SentRow>('sent_notifications')`
    SELECT moment, to_jsonb(coalesce(notifications, '{}')) AS names, coalesce(results, '[]') AS results, error,
      due_at AS "startedAt", ended_at AS "endedAt"
    FROM build_notifications WHERE build_id = ${build} ORDER BY id`);
  return sent.map(({ error, endedAt, ...row }) => ({ ...row, ...withoutNulls({ error, endedAt }) }));
}

export async function viewBuildIds(
  pool: DatabasePool,
  { team, pipeline, job, number }: BuildRef,
): Promise<{ build: number; pipeline: number } | undefined> {
  const parsed = parseNumber(number);
  if (parsed === undefined) return undefined;
  const found = await pool.maybeOne(prepared<{ build: number; pipeline: number }>('build_ids')`
    SELECT b.id AS build, p.id AS pipeline
    FROM builds b JOIN jobs j ON j.id = b.job_id JOIN pipelines p ON p.id = j.pipeline_id
      JOIN teams t ON t.id = p.team_id
    WHERE t.name = ${team} AND p.name = ${pipeline} AND j.name = ${job} AND p.deleted_at IS NULL
      AND b.number = ${parsed.number} AND b.retry = ${parsed.retry}`);
  return found ?? undefined;
}

/** Includes jobs that were removed from the pipeline: their builds stay visible. */
async function jobId(pool: DatabasePool, { team, pipeline, job }: JobName): Promise<number | undefined> {
  const id = await pool.maybeOneFirst(prepared<{ id: number }>('job_id')`
    SELECT j.id FROM jobs j JOIN pipelines p ON p.id = j.pipeline_id JOIN teams t ON t.id = p.team_id
    WHERE t.name = ${team} AND p.name = ${pipeline} AND j.name = ${job} AND p.deleted_at IS NULL`);
  return id ?? undefined;
}
