import { sql, type FragmentSqlToken } from 'slonik';
import { placed } from '#adapters/database/checks/placed-version.ts';
import { FIRST_FOUND_FIRST, NEWEST_FIRST, ofScope } from '#adapters/database/checks/versions-in-order.ts';
import {
  MAX_PASSED_VERSIONS,
  MAX_UNUSED_VERSIONS,
  NEWEST,
  PASSED_AT_EDGE,
} from '#domain/scheduling/facts.ts';

/*
 * SQL for the versions that a get may still take. `j` is the job, `g` its get and `r` the resource of the
 * get. The column `dealt_with` holds the baseline of a get.
 */

/**
 * SQL condition: no build has used the version for the get. The form of the condition matters. With a
 * subquery, Postgres looks up each version and never joins with all used versions. With `IS NOT TRUE`, it
 * estimates that most rows meet the condition, and so reads the first versions instead of sorting all.
 */
const neverUsed = (version: FragmentSqlToken) => sql.fragment`
  ((SELECT 1 FROM build_inputs b
    WHERE b.used AND b.job_id = j.id AND b.resource_id = r.id AND b.version_id = ${version} AND b.nth = g.nth
      LIMIT 1) = 1) IS NOT TRUE`;

/**
 * SQL: the ends of the range of version ids that the pin allows. An index can find a range. If the resource
 * is pinned, the range holds one version, or none if the pinned version is unknown.
 */
const fromPin = sql.fragment`coalesce(r.pinned_version, 0)`;
const toPin = sql.fragment`coalesce(r.pinned_version, CASE WHEN r.pin_wanted IS NULL THEN ${NEWEST}::bigint
  ELSE 0 END)`;
/**
 * SQL: what checks the resource, whether a check is scheduled or pending, and how the last one ended. Null if
 * the resource has a version.
 */
export const checkIfNoVersion = sql.fragment`(
  SELECT jsonb_build_object('by', CASE WHEN r.stream THEN 'stream' WHEN s.checked_by = 'operator' THEN 'cron'
      ELSE s.checked_by END,
    'scheduled', s.schedule IS NOT NULL, 'pending', s.run_id IS NOT NULL OR s.requested_at IS NOT NULL,
    'last', CASE WHEN s.last_error IS NOT NULL THEN 'failed' WHEN s.last_checked_at IS NOT NULL THEN 'succeeded' END)
  FROM check_scopes s WHERE s.id = r.scope_id
    AND (SELECT id FROM versions WHERE ${ofScope(sql.fragment`r.scope_id`)} ${NEWEST_FIRST} LIMIT 1) IS NULL)`;

/**
 * SQL: the oldest hook run that holds versions of the resource; null if there is none. Resources without
 * hooks need no lookup.
 */
export const heldFrom = sql.fragment`CASE WHEN r.hooks THEN (
  SELECT jsonb_build_object('from', h.first_version, 'until', h.held_until, 'newest', (
    SELECT ${placed} FROM versions v
    WHERE ${ofScope(sql.fragment`r.scope_id`)} AND id < h.first_version AND NOT disabled ${NEWEST_FIRST} LIMIT 1))
  FROM hook_runs h WHERE h.resource_id = r.id AND h.open AND h.held_until > now() ORDER BY h.first_version
    LIMIT 1) END`;

/**
 * SQL: unused versions of a get without `passed`. The plan must walk the index (scope_id, id) from the
 * baseline on. So both ends of the range are pairs of scope and version, and the scope is a range of one
 * value, as in `versions-in-order.ts`: then Postgres estimates that this walk reads little. `+ 0` keeps
 * Postgres from using the index of places, along which it would read all versions from the floor on.
 */
export const unusedVersions = (limit: number) => sql.fragment`ARRAY(
  SELECT ${placed} FROM versions v
  WHERE ${ofScope(sql.fragment`r.scope_id`)}
    AND (scope_id, id) > (r.scope_id, greatest(g.dealt_with, g.settled, ${fromPin} - 1))
    AND (scope_id, id) <= (r.scope_id, ${toPin})
    AND NOT v.disabled AND ${neverUsed(sql.fragment`v.id`)}
    AND v.place + 0 >= g.floor
  ${FIRST_FOUND_FIRST} LIMIT ${limit})`;

/**
 * SQL: good versions of the first upstream job above the baseline and not below the floor, whatever the pin.
 */
const ofFirstUpstream = sql.fragment`
  SELECT place, version_id FROM good_versions
  WHERE job_id = g.passed[1] AND scope_id = r.scope_id AND place > greatest(g.dealt_with, g.floor - 1)`;

/**
 * SQL: good versions of the first upstream job, newest first; if the resource is pinned, only the pinned one.
 * The two cases are separate queries. For one query with a range for the pin, Postgres would estimate few
 * rows, and sort all good versions instead of reading the newest.
 */
const newestPassed = (limit: FragmentSqlToken) => sql.fragment`
  (${ofFirstUpstream} AND r.pinned_version IS NULL AND r.pin_wanted IS NULL ORDER BY place DESC ${limit})
  UNION ALL
  (${ofFirstUpstream} AND place = (SELECT v.place FROM versions v WHERE v.id = r.pinned_version) ${limit})`;

/**
 * SQL condition: more unused versions have passed the first upstream job than one page holds. Looks only at
 * the oldest versions of the page: builds take the oldest first, so if these are unused, the newer ones are
 * usually unused too.
 */
export const manyPassedWait = sql.fragment`(
  SELECT count(*) FROM (${newestPassed(
    sql.fragment`OFFSET ${MAX_PASSED_VERSIONS - PASSED_AT_EDGE} LIMIT ${PASSED_AT_EDGE}`,
  )}) AS edge
  WHERE ${neverUsed(sql.fragment`edge.version_id`)}) = ${PASSED_AT_EDGE}`;

/**
 * SQL: unused versions that have passed all upstream jobs. A version's place is never below its id, so every
 * version above `dealt_with` also has its place above `dealt_with`.
 */
export const unusedPassed = (limit: number) => sql.fragment`ARRAY(
  SELECT jsonb_build_array(n.place, n.version_id) FROM (
    SELECT DISTINCT place, version_id FROM (
      ${newestPassed(sql.fragment`LIMIT ${limit}`)}) AS newest) AS n
  WHERE n.version_id > g.dealt_with AND ${neverUsed(sql.fragment`n.version_id`)}
    AND NOT (SELECT v.disabled FROM versions v WHERE v.id = n.version_id) AND (
    SELECT bool_and((SELECT o.build_id FROM good_versions o
      WHERE o.job_id = u.job AND o.resource_id = r.id AND o.version_id = n.version_id LIMIT 1) IS NOT NULL)
    FROM unnest(g.passed) AS u (job))
  ORDER BY n.place LIMIT ${MAX_UNUSED_VERSIONS})`;
