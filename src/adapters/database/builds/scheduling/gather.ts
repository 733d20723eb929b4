import { sql, type FragmentSqlToken } from 'slonik';
import { placed, type PlacedVersion, type PlaceOf } from '#adapters/database/checks/placed-version.ts';
import { NEWEST_FIRST, ofScope } from '#adapters/database/checks/versions-in-order.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids, prepared, type Transaction } from '#adapters/database/connection/pool.ts';
import type { Input } from '#domain/pipeline/pipeline.ts';
import {
  MAX_PASSED_VERSIONS,
  MAX_PASSED_WAITING,
  MAX_UNUSED_VERSIONS,
  type CheckFacts,
  type Facts,
  type GetFacts,
  type HeldVersions,
  type JobFacts,
} from '#domain/scheduling/facts.ts';
import { AUTOMATIC_PAUSE_ABOVE } from '#domain/scheduling/queue-limits.ts';
import type { TurnConstraints } from '#domain/scheduling/start-queued.ts';
import type { Gate } from '#domain/scheduling/vote.ts';
import { IS_AUTOMATIC } from './automatic-cause.ts';
import { openRequests, toRequest, type RequestRow } from './gather-requests.ts';
import {
  checkIfNoVersion,
  heldFrom,
  manyPassedWait,
  unusedPassed,
  unusedVersions,
} from './gather-versions.ts';
import { queuedBuilds } from './queued-builds.ts';

/** Facts of a job, and what the store needs to write a decision on the job. */
export interface GatheredJob {
  facts: JobFacts;
  team: string;
  pipeline: string;
  revision: number;
  nextNumber: number;
  /** Number of the newest request for a decision on the job. */
  requested: number;
  /** In the order of the job's gets. */
  gets: { name: string; resource: number; nth: number }[];
  /** The gate of the job's builds. Absent: they need no approval. */
  approval?: Gate;
  turnConstraints: TurnConstraints;
}

/** Facts of several jobs of one pipeline, without pages of history. */
export interface Gathered {
  jobs: GatheredJob[];
  paused: boolean;
  resources: Facts['resources'];
  /** Builds of the pipeline that have not started. */
  queued: number;
  /** More jobs of the pipeline may wait for a decision. */
  more: boolean;
  /** Row ids of versions by place, where id and place differ. Pages of history have `ids` of their own. */
  ids: Map<number, number>;
}

interface JobRow {
  id: number;
  queued: number;
  name: string;
  team: string;
  pipeline: string;
  revision: number;
  next_number: number;
  requested: number;
  paused: boolean;
  pipeline_paused: boolean;
  interruptible: boolean;
  supersede: boolean;
  approval: Gate | null;
  concurrency: number | null;
  serial_groups: string[];
  team_limit: number | null;
  active: JobFacts['active'] | null;
  queued_newest: JobFacts['queued'] | null;
  requests: RequestRow[] | null;
  inputs: Input[];
  gets: GetRow[] | null;
}

interface GetRow extends Omit<GetFacts, 'unused'> {
  name: string;
  nth: number;
  resourceName: string;
  newest: PlacedVersion | null;
  unused: PlacedVersion[];
  disabled: boolean;
  check: (Omit<CheckFacts, 'last'> & { last: CheckFacts['last'] | null }) | null;
  pinned: { version: PlacedVersion; disabled: boolean; unknown: boolean; elsewhere: boolean } | null;
  held: { from: number; until: string; newest: PlacedVersion | null } | null;
}

/**
 * The most gets of one decision, so that its cost does not grow with the pipeline. A decision takes at least
 * one job, even if the job has more gets.
 */
const MAX_GETS = 250;

/**
 * Reads the facts of the first jobs of a pipeline that wait for a decision. The caller holds the pipeline's
 * lock.
 */
export async function gatherWaiting(connection: Transaction, pipeline: number): Promise<Gathered> {
  return await gather(connection, 'gather_waiting', {
    queued: queuedBuilds(sql.fragment`${pipeline}`),
    where: sql.fragment`(SELECT queued FROM queue) <= ${AUTOMATIC_PAUSE_ABOVE} AND ${firstWaiting(pipeline)}`,
  });
}

/** SQL condition: job `j` is one of the first waiting jobs whose gets fit into one decision. */
const firstWaiting = (pipeline: number) => sql.fragment`j.id IN (
      SELECT w.id FROM (
        SELECT q.id, coalesce(sum(q.gets) OVER (
          ORDER BY q.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before
        FROM (SELECT o.id, greatest(1, (SELECT count(*) FROM job_gets c WHERE c.job_id = o.id)) AS gets FROM jobs o
          WHERE o.pipeline_id = ${pipeline} AND o.deleted_at IS NULL
            AND o.schedule_requested > o.last_scheduled) AS q) AS w
      WHERE w.before < ${MAX_GETS})`;

/**
 * Reads the facts of these jobs of one pipeline, with at most `maxUnused` unused versions of each get without
 * `passed`.
 */
export async function gatherJobs(
  connection: Transaction,
  jobs: readonly number[],
  maxUnused?: number,
): Promise<Gathered> {
  return await gather(connection, 'gather_jobs', {
    queued: queuedBuilds(sql.fragment`(SELECT f.pipeline_id FROM jobs f WHERE f.id = ${jobs[0] ?? 0})`),
    where: sql.fragment`j.id = ANY(${ids(jobs)})`,
    ...(maxUnused === undefined ? {} : { maxUnused }),
  });
}

/**
 * SQL: the oldest automatic builds that have not ended: as many as the job's `concurrency`, or one if it sets
 * none. Leaves out queued builds that a newer set of versions may supersede.
 */
const openAutomatic = sql.fragment`(SELECT jsonb_agg(o) FROM (
        SELECT b.id, b.number::text AS number FROM builds b WHERE b.job_id = j.id AND b.ended_at IS NULL
          AND ${IS_AUTOMATIC}
          AND NOT (b.cause ->> 'kind' = 'ready' AND b.status IN ('pending', 'waiting'))
        ORDER BY b.id LIMIT greatest(j.concurrency, 1)) AS o)`;

/** SQL: builds of the newest set of versions (cause `ready`) that have not started. */
const queuedNewest = sql.fragment`(SELECT jsonb_agg(o) FROM (
        SELECT b.id, b.number::text AS number FROM builds b
        WHERE b.job_id = j.id AND b.ended_at IS NULL AND b.cause ->> 'kind' = 'ready'
          AND b.status IN ('pending', 'waiting')
        ORDER BY b.id) AS o)`;

/** Each subquery reads from one end of an index, so the cost does not grow with history. */
async function gather(
  connection: Transaction,
  name: string,
  {
    queued,
    where,
    maxUnused = MAX_UNUSED_VERSIONS + 1,
  }: { queued: FragmentSqlToken; where: FragmentSqlToken; maxUnused?: number },
): Promise<Gathered> {
  const found = await connection.any(prepared<JobRow>(name)`
    WITH queue AS MATERIALIZED (SELECT ${queued} AS queued)
    SELECT j.id, j.name, t.name AS team, p.name AS pipeline, v.id AS revision, j.next_number,
      j.schedule_requested AS requested,
      (SELECT queued FROM queue) AS queued, j.paused, p.paused AS pipeline_paused, j.interruptible, j.supersede,
      j.approval, j.concurrency, j.serial_groups, t.running_builds AS team_limit,
      ${openAutomatic} AS active, ${queuedNewest} AS queued_newest,
      ${openRequests} AS requests, j.inputs,
      (SELECT jsonb_agg(jsonb_build_object(
          'name', g.name, 'nth', g.nth, 'resourceName', r.name, 'resource', r.id, 'trigger', g.trigger,
            'every', g.every,
          'baseline', g.dealt_with,
          'passed', coalesce((SELECT jsonb_agg(jsonb_build_object('job', u.id, 'name', u.name) ORDER BY u.position)
            FROM jobs u WHERE u.id = ANY(g.passed)), '[]'),
          'newest', (SELECT ${placed} FROM versions v WHERE ${ofScope(sql.fragment`r.scope_id`)}
            AND NOT disabled ${NEWEST_FIRST} LIMIT 1),
          'disabled', (SELECT id FROM versions WHERE scope_id = r.scope_id AND disabled LIMIT 1) IS NOT NULL,
          'check', ${checkIfNoVersion},
          'pinned', CASE WHEN r.pinned_version IS NOT NULL THEN (
              SELECT jsonb_build_object('version', ${placed}, 'disabled', v.disabled,
                'unknown', v.scope_id <> r.scope_id,
                'elsewhere', v.scope_id <> r.scope_id)
              FROM versions v WHERE v.id = r.pinned_version)
            WHEN r.pin_wanted IS NOT NULL
              THEN '{"version": [0, 0], "disabled": false, "unknown": true, "elsewhere": false}' END,
          'held', ${heldFrom},
          'unused', CASE WHEN NOT (g.trigger AND g.every) THEN '{}' WHEN g.passed = '{}' THEN ${unusedVersions(maxUnused)}
            WHEN ${manyPassedWait} THEN ${unusedPassed(MAX_PASSED_WAITING)}
            ELSE ${unusedPassed(MAX_PASSED_VERSIONS)} END) ORDER BY g.position)
        FROM job_gets g JOIN resources r ON r.id = g.resource_id WHERE g.job_id = j.id) AS gets
    FROM jobs j
    JOIN pipelines p ON p.id = j.pipeline_id AND p.deleted_at IS NULL
    JOIN teams t ON t.id = p.team_id
    JOIN revisions v ON v.pipeline_id = p.id AND v.number = p.revision
    WHERE j.deleted_at IS NULL AND ${where}`);
  const gets = found.flatMap((row) => row.gets ?? []);
  const idsByPlace = new Map<number, number>();
  const placeOf: PlaceOf = ([place, id]) => {
    if (place !== id) idsByPlace.set(place, id);
    return place;
  };
  return {
    jobs: found.map((row) => toGathered(row, placeOf)),
    paused: found.some((row) => row.pipeline_paused),
    // A job without gets counts as one get, as in `firstWaiting`.
    more: found.reduce((sum, row) => sum + Math.max(1, row.gets?.length ?? 0), 0) >= MAX_GETS,
    queued: found[0]?.queued ?? 0,
    resources: [...new Map(gets.map((get) => [get.resource, toResource(get, placeOf)])).values()],
    ids: idsByPlace,
  };
}

function toGathered(row: JobRow, placeOf: PlaceOf): GatheredJob {
  const gets = row.gets ?? [];
  return {
    facts: {
      id: row.id,
      name: row.name,
      paused: row.paused,
      interruptible: row.interruptible,
      approval: row.approval !== null,
      gets: gets.map(({ resource, trigger, every, baseline, passed, unused }) => ({
        resource,
        trigger,
        every,
        baseline,
        passed,
        unused: unused.map(placeOf),
      })),
      requests: (row.requests ?? []).map((request) => toRequest(request, placeOf)),
      supersede: row.supersede,
      inputs: row.inputs,
      active: row.active ?? [],
      queued: row.queued_newest ?? [],
      ...withoutNulls({ concurrency: row.concurrency }),
    },
    team: row.team,
    pipeline: row.pipeline,
    revision: row.revision,
    nextNumber: row.next_number,
    requested: row.requested,
    gets: gets.map(({ name, resource, nth }) => ({ name, resource, nth })),
    ...withoutNulls({ approval: row.approval }),
    turnConstraints: {
      paused: row.paused || row.pipeline_paused,
      serialGroups: row.serial_groups,
      ...withoutNulls({ concurrency: row.concurrency, limit: row.team_limit }),
    },
  };
}

function toResource(
  { resource, resourceName, newest, disabled, check, pinned, held }: GetRow,
  placeOf: PlaceOf,
): Facts['resources'][number] {
  return {
    id: resource,
    name: resourceName,
    disabled,
    ...(newest === null ? {} : { newest: placeOf(newest) }),
    ...(check === null ? {} : { check: withoutNulls(check) }),
    ...(pinned === null ? {} : { pinned: { ...pinned, version: placeOf(pinned.version) } }),
    ...(held === null ? {} : { held: toHeld(held, placeOf) }),
  };
}

function toHeld({ from, until, newest }: NonNullable<GetRow['held']>, placeOf: PlaceOf): HeldVersions {
  return { from, until: new Date(until), ...(newest === null ? {} : { newest: placeOf(newest) }) };
}
