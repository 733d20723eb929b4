import { sql } from 'slonik';
import { placed, type PlacedVersion, type PlaceOf } from '#adapters/database/checks/placed-version.ts';
import { isChecking, requestedChecks } from '#adapters/database/checks/trigger-checks.ts';
import type { BuildRequest } from '#domain/scheduling/facts.ts';

export type RequestRow = Omit<BuildRequest, 'version'> & {
  version?: { resource: number; version: PlacedVersion; disabled: boolean };
};

/**
 * How many requests of one job a decision reads: at most this many that wait for no upstream build, and at
 * most this many that do.
 */
const MAX_REQUESTS = 200;
/**
 * For how many waiting requests of one job a decision looks up the upstream builds, newest first. A request
 * can wait for weeks if an upstream build failed.
 */
const MAX_WAITING_REQUESTS = 1000;

/**
 * SQL: the requests `u` for upstream jobs in the cascade of request `m`, and whether the build of `u`, or one
 * of the retries of that build, succeeded.
 */
const upstreamRequests = sql.fragment`coalesce((
  SELECT jsonb_agg(jsonb_build_object('job', u.job_id, 'good', EXISTS (
    SELECT 1 FROM builds b JOIN builds t ON t.job_id = b.job_id AND t.number = b.number
    WHERE b.id = u.build_id AND t.status IN ('succeeded', 'warning'))))
  FROM job_triggers u WHERE u.cascade = m.cascade AND u.refused IS NULL AND u.job_id IN (
    SELECT unnest(g.passed) FROM job_gets g WHERE g.job_id = j.id AND g.trigger
      AND g.resource_id = m.resource_id)), '[]')`;

const isOpen = sql.fragment`o.job_id = j.id AND o.build_id IS NULL AND o.refused IS NULL`;

/**
 * SQL: the open requests for builds of job `j`, that is, those without a build or a refusal. Of the requests
 * that wait for no upstream build, the query returns the newest. It returns the others only if all upstream
 * builds of their cascade are good. Of these it returns the oldest, so that a later build gets a later
 * version.
 */
export const openRequests = sql.fragment`(
  SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('id', m.id, 'by', m.requested_by,
    'inputs', m.input_values, 'version', CASE
      WHEN m.version_id IS NOT NULL THEN (
        SELECT jsonb_build_object('resource', m.resource_id, 'version', ${placed}, 'disabled', v.disabled)
        FROM versions v WHERE v.id = m.version_id) END, 'after', m.after,
      'checks', ${requestedChecks}, 'checking', ${isChecking})) ORDER BY m.id)
  FROM (
    (SELECT o.*, NULL::jsonb AS after FROM job_triggers o WHERE ${isOpen} AND NOT o.follows
     ORDER BY o.id DESC LIMIT ${MAX_REQUESTS})
    UNION ALL
    (SELECT f.* FROM (
       SELECT m.*, ${upstreamRequests} AS after
       FROM (SELECT * FROM job_triggers o WHERE ${isOpen} AND o.follows
             ORDER BY o.id DESC LIMIT ${MAX_WAITING_REQUESTS}) AS m) AS f
     WHERE f.after <> '[]' AND NOT f.after @> '[{"good": false}]'
     ORDER BY f.id LIMIT ${MAX_REQUESTS})) AS m)`;

export function toRequest({ version, ...request }: RequestRow, placeOf: PlaceOf): BuildRequest {
  return version === undefined
    ? request
    : { ...request, version: { ...version, version: placeOf(version.version) } };
}
