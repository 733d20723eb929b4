import { sql, type FragmentSqlToken } from 'slonik';
import { cacheUsesWhere } from '#adapters/database/caches/cache-uses.ts';
import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import {
  ids,
  prepared,
  rows,
  textArray,
  timestamp,
  type Database,
  type Transaction,
} from '#adapters/database/connection/pool.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import { resourceNameIn } from '#adapters/database/revisions/names-in-revision.ts';
import { defined } from '#defined';
import { storable } from '#domain/build/storable.ts';
import type { CacheUse } from '#domain/planning/cache-volumes.ts';
import type { FreeScope, ScopeTimer } from '#domain/scheduling/check-timers.ts';
import type { GroupOfPod, RunToOpen } from '#flows/checks/ports.ts';
import type { PipelineName } from '#flows/names.ts';
import type { CheckRunFacts, HookRunFacts, OpenRun } from '#flows/pods/workloads.ts';
import {
  FREE_SCOPE,
  isoTime,
  toFreeScope,
  toTimer,
  type FreeScopeRow,
  type TimerRow,
} from './check-timers.ts';
import { releaseVersions } from './hook-runs.ts';
import { endNotifications, notificationsOfRun } from './notification-runs.ts';
import { NEWEST_FIRST, ofScope } from './versions-in-order.ts';

export async function dueScopes(
  connection: Transaction,
  scopes: readonly number[],
  at: Date,
): Promise<FreeScope[]> {
  const free = await connection.any(rows<FreeScopeRow>()`
    SELECT ${FREE_SCOPE} FROM check_scopes s
    WHERE s.id = ANY(${ids(scopes)}) AND s.live AND s.run_id IS NULL
      AND (s.requested_at IS NOT NULL OR (s.timer = 'operator' AND s.next_check_at <= ${timestamp(at)}))
    ORDER BY s.id FOR UPDATE`);
  return free.map(toFreeScope);
}

export async function freeScopesOf(
  connection: Transaction,
  { pipelineId, group, namespace }: GroupOfPod,
): Promise<FreeScope[]> {
  const free = await connection.any(rows<FreeScopeRow>()`
    SELECT ${FREE_SCOPE} FROM check_scopes s JOIN pipelines p ON p.id = s.pipeline_id AND p.deleted_at IS NULL
    WHERE s.pipeline_id = ${pipelineId} AND p.namespace = ${namespace} AND s.check_group = ${group} AND s.live
      AND s.checked_by = 'pod' AND s.run_id IS NULL
    ORDER BY s.id FOR UPDATE OF s`);
  return free.map(toFreeScope);
}

export async function findRunOfPod(connection: Transaction, podUid: string): Promise<number | undefined> {
  const run = await connection.maybeOneFirst(rows<{ id: number }>()`
    SELECT id FROM check_runs WHERE pod_uid = ${podUid}`);
  return run ?? undefined;
}

export async function insertRun(
  connection: Transaction,
  {
    pipeline,
    group,
    cause,
    scopes,
    podUid = null,
    at,
  }: Omit<RunToOpen, 'podUid'> & { podUid?: string | null },
): Promise<number> {
  const run = await connection.oneFirst(rows<{ id: number }>()`
    INSERT INTO check_runs (pipeline_id, revision_id, check_group, cause, pod_uid, opened_at, seen_at)
    VALUES (${pipeline}, (${newestRevision(pipeline)}), ${group}, ${cause}, ${podUid}, ${timestamp(at)},
      CASE WHEN ${podUid}::text IS NOT NULL THEN ${timestamp(at)} END)
    RETURNING id`);
  const nextTimes = scopes.map((scope) => isoTime(scope.next) ?? '');
  await connection.query(rows()`
    UPDATE check_scopes s SET run_id = ${run}, requested_at = NULL, requested_cause = NULL, run_cause = n.cause,
      next_check_at = nullif(n.next, '')::timestamptz
    FROM unnest(${ids(scopes.map(({ scope }) => scope))}, ${textArray(scopes.map((scope) => scope.cause))},
      ${textArray(nextTimes)}) AS n (id, cause, next)
    WHERE s.id = n.id`);
  return run;
}

/**
 * SQL: the row id of the pipeline's newest revision. The claimed scopes belong to this revision, because the
 * caller has locked them, and a save of the pipeline must lock them too.
 */
function newestRevision(pipeline: number): FragmentSqlToken {
  return sql.fragment`SELECT v.id FROM pipelines p JOIN revisions v ON v.pipeline_id = p.id AND v.number = p.revision
    WHERE p.id = ${pipeline}`;
}

/** How many versions of a scope, from the newest on, are searched for branches. */
const MAX_VERSIONS_OF_BRANCHES = 2000;
/**
 * Limit of the JSON with the branches. Linux refuses to start a program with an environment variable or an
 * argument of 128 KiB or more.
 */
const MAX_KNOWN_BRANCHES_BYTES = 100_000;
const MAX_BRANCH_CHARACTERS = 255;

/**
 * SQL: a JSON object with the newest `ref` of each `branch` of scope `s`. Branches whose newest version is
 * old may be missing, because of the limits above.
 */
const newestOfBranches = sql.fragment`(
  SELECT jsonb_object_agg(b.branch, b.ref) FROM (
    SELECT branch, ref, sum(octet_length(to_json(branch)::text) + octet_length(to_json(ref)::text) + 2)
      OVER (ORDER BY place DESC) AS bytes FROM (
      SELECT DISTINCT ON (fields ->> 'branch') fields ->> 'branch' AS branch, fields ->> 'ref' AS ref, place FROM (
        SELECT fields, place FROM versions WHERE ${ofScope(sql.fragment`s.id`)} ${NEWEST_FIRST}
          LIMIT ${MAX_VERSIONS_OF_BRANCHES}) AS newest
      WHERE length(fields ->> 'branch') <= ${MAX_BRANCH_CHARACTERS}
        AND length(fields ->> 'ref') <= ${MAX_BRANCH_CHARACTERS}
      ORDER BY fields ->> 'branch', place DESC) AS last_of_branch
  ) AS b WHERE bytes <= ${MAX_KNOWN_BRANCHES_BYTES})`;

/**
 * SQL: the name that pipeline `p` had when run `c` was opened. The name of the run's Pod contains it, and
 * must stay the same if the pipeline is renamed before the agent in the Pod connects.
 */
const NAME_WHEN_OPENED = sql.fragment`coalesce((
  SELECT n.from_name FROM pipeline_renames n WHERE n.pipeline_id = p.id AND n.moved_at > c.opened_at
  ORDER BY n.moved_at LIMIT 1), p.name)`;

export async function runFacts(
  database: Database & { definitions: Definitions },
  run: number,
): Promise<CheckRunFacts | undefined> {
  const { pool, definitions } = database;
  const resourceName = resourceNameIn(sql.fragment`coalesce(c.revision_id, v.id)`);
  const found = await pool.maybeOne(rows<
    PipelineName & {
      namespace: string;
      pipelineId: number;
      revision: number;
      checks: CheckRunFacts['checks'];
      hooks: HookRunFacts | null;
      notifies: boolean;
      caches: CacheUse[] | null;
    }
  >()`
    SELECT t.name AS team, ${NAME_WHEN_OPENED} AS pipeline, p.namespace, p.id AS "pipelineId",
      coalesce(c.revision_id, v.id) AS revision, ARRAY(
      SELECT jsonb_strip_nulls(jsonb_build_object('scope', s.id, 'resource', ${resourceName}, 'last', n.fields,
        'branches', CASE WHEN n.fields ? 'branch' AND n.fields ? 'ref' THEN ${newestOfBranches} END))
      FROM check_scopes s JOIN resources r ON r.id = coalesce(s.resource_id, (SELECT id FROM resources
        WHERE scope_id = s.id LIMIT 1))
        AND r.deleted_at IS NULL
      LEFT JOIN LATERAL (
        SELECT fields FROM versions WHERE ${ofScope(sql.fragment`s.id`)} ${NEWEST_FIRST} LIMIT 1) AS n ON true
      WHERE s.run_id = c.id ORDER BY r.position) AS checks,
      CASE WHEN c.cause = 'version' THEN (
        SELECT jsonb_build_object('resource', ${resourceName},
          'leftMs', extract(epoch FROM h.held_until - now()) * 1000, 'versions', (
          SELECT jsonb_agg(jsonb_build_object('id', f.id, 'fields', f.fields) ORDER BY f.place) FROM versions f
          WHERE f.scope_id = (SELECT scope_id FROM versions WHERE id = h.first_version)
            AND f.id BETWEEN h.first_version AND h.last_version))
        FROM hook_runs h JOIN resources r ON r.id = h.resource_id
        WHERE h.run_id = c.id) END AS hooks, c.cause = 'build' AS notifies,
      ${cacheUsesWhere(sql.fragment`u.run_id = c.id`)} AS caches
    FROM check_runs c
    JOIN pipelines p ON p.id = c.pipeline_id
    JOIN teams t ON t.id = p.team_id
    JOIN revisions v ON v.pipeline_id = p.id AND v.number = p.revision
    WHERE c.id = ${run} AND c.closed_at IS NULL`);
  if (found === null) return undefined;
  const { revision, checks, hooks, notifies, caches, ...names } = found;
  // Checks need no jobs. A version can reach the hooks of any job, and any job can notify.
  const needsJobs = hooks !== null || notifies;
  const definition = needsJobs
    ? (await definitions.of(pool, [revision])).get(revision)
    : await definitions.part(pool, { revision });
  if (definition === undefined) return undefined;
  const notifications = notifies ? await notificationsOfRun(database, run) : undefined;
  if (notifies && notifications === undefined) return undefined;
  return {
    run,
    ...names,
    definition,
    checks: [...checks],
    ...withoutNulls({ hooks, caches }),
    ...defined({ notifications }),
  };
}

export async function scopesOfRun(
  connection: Transaction,
  run: number,
): Promise<(ScopeTimer & { live: boolean })[]> {
  const scopes = await connection.any(rows<TimerRow & { live: boolean }>()`
    SELECT ${FREE_SCOPE}, s.live FROM check_scopes s WHERE s.run_id = ${run} ORDER BY s.id FOR UPDATE`);
  return scopes.map((row) => ({ ...toTimer(row), live: row.live }));
}

export async function markRunClosed(
  connection: Transaction,
  run: number,
  { error = null, at }: { error?: string | null; at: Date },
): Promise<{ released: boolean }> {
  await connection.query(rows()`UPDATE check_scopes SET run_id = NULL WHERE run_id = ${run}`);
  const cause = await connection.maybeOneFirst(rows<{ cause: string }>()`
    UPDATE check_runs SET closed_at = coalesce(closed_at, ${timestamp(at)}),
      error = CASE WHEN closed_at IS NULL THEN ${error} ELSE error END
    WHERE id = ${run} RETURNING cause`);
  if (cause === 'build') await endNotifications(connection, run, { at, error, results: [] });
  if (cause !== 'version') return { released: false };
  return { released: await releaseVersions(connection, run, { at, error, results: [] }) };
}

/**
 * Closes the run with the reason as its error. Requests a check of its scopes that are live, with the cause
 * that they had. Their next time by the schedule stays the one that was set when the run was opened.
 */
export async function releaseRun(
  database: Database,
  { run, at, reason }: { run: number; at: Date; reason: string },
): Promise<void> {
  await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    await connection.query(rows()`SELECT 1 FROM check_scopes WHERE run_id = ${run} ORDER BY id FOR UPDATE`);
    await connection.query(rows()`
      UPDATE check_scopes SET run_id = NULL, held_since = coalesce(held_since, ${timestamp(at)}),
        held_reason = ${storable(reason)},
        requested_at = CASE WHEN live THEN coalesce(requested_at, ${timestamp(at)}) END,
        requested_cause = CASE WHEN live THEN coalesce(requested_cause, run_cause, 'schedule') END
      WHERE run_id = ${run}`);
    await connection.query(rows()`
      UPDATE check_runs SET closed_at = ${timestamp(at)}, error = ${storable(reason)} WHERE id = ${run}
        AND closed_at IS NULL`);
  });
}

export async function openRuns({ pool }: Database): Promise<OpenRun[]> {
  const open = await pool.any(prepared<Omit<OpenRun, 'podUid'> & { podUid: string | null }>('open_runs')`
    SELECT c.id AS run, t.name AS team, p.name AS pipeline, p.id AS "pipelineId", p.namespace, c.check_group AS "group",
      c.opened_at AS "openedAt", c.seen_at IS NOT NULL AS seen, coalesce(c.pod_uid, a.pod_uid) AS "podUid",
      c.pod_uid IS NOT NULL AS "byCronJob", c.cause IN ('version', 'build') AS hooks,
      c.cause = 'build' AS notifications
    FROM check_runs c JOIN pipelines p ON p.id = c.pipeline_id JOIN teams t ON t.id = p.team_id
    LEFT JOIN agent_sessions a ON a.run_id = c.id
    WHERE c.closed_at IS NULL ORDER BY c.id`);
  return open.map(({ podUid, ...run }) => ({ ...run, ...withoutNulls({ podUid }) }));
}
