import { sql, type DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids as idArray, rows, textArray } from '#adapters/database/connection/pool.ts';
import { newestBuildOf } from '#adapters/database/revisions/newest-build.ts';
import type { CardRow, CardStore, CardTeam } from '#flows/views/card-ports.ts';

/** Reads what overviews show. Each method makes one query, whatever the number of pipelines. */
export function cardStore(pool: DatabasePool): CardStore {
  return {
    async cardTeams(teams) {
      const found = await pool.any(rows<CardTeam & { displayName: string | null }>()`
        SELECT t.name, t.display_name AS "displayName",
          (SELECT count(*) FROM pipelines p WHERE p.team_id = t.id AND p.deleted_at IS NULL) AS pipelines
        FROM teams t
        WHERE t.deleted_at IS NULL ${teams === 'all' ? sql.fragment`` : sql.fragment`AND t.name = ANY(${textArray(teams)})`}
        ORDER BY t.name`);
      return found.map(withoutNulls);
    },
    async cardRows(teams, limit, ids) {
      const found = await pool.any(rows<StoredRow>()`
        SELECT p.id, t.name AS team, p.name, p.display_name AS "displayName", p.public, p.paused, s.*
        FROM teams t CROSS JOIN LATERAL (
          SELECT p.* FROM pipelines p WHERE p.team_id = t.id AND p.deleted_at IS NULL
            ${ids === undefined ? sql.fragment`` : sql.fragment`AND p.id = ANY(${idArray(ids)})`}
          ORDER BY p.name LIMIT ${limit}
        ) p CROSS JOIN LATERAL ${STATE} s
        WHERE t.name = ANY(${textArray(teams)}) AND t.deleted_at IS NULL
        ORDER BY t.name, p.name`);
      return found.map(toCardRow);
    },
  };
}

interface StoredBuild {
  job: string;
  number: string;
  at: string;
}

interface StoredRow extends Omit<CardRow, 'outcomes' | 'failure' | 'newest' | 'displayName'> {
  displayName: string | null;
  succeeded: number;
  failed: number;
  cancelled: number;
  warning: number;
  failure: StoredBuild | null;
  newest: StoredBuild | null;
}

const NUMBER = sql.fragment`CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END`;

const outcome = (status: string) =>
  sql.fragment`count(*) FILTER (WHERE NOT j.paused AND ended.status = ${status})`;

/**
 * SQL: the state of the pipeline `p`. For each job, index scans find the newest ended build (by number, then
 * by retry), the newest build, and the builds that have not ended.
 */
const STATE = sql.fragment`(
  SELECT count(*) AS jobs, count(*) FILTER (WHERE j.paused) AS "pausedJobs",
    ${outcome('succeeded')} AS succeeded, ${outcome('failed')} AS failed,
    ${outcome('cancelled')} AS cancelled, ${outcome('warning')} AS warning,
    coalesce(sum(open.running), 0)::int8 AS running, coalesce(sum(open.waiting), 0)::int8 AS waiting,
    (array_agg(jsonb_build_object('job', j.name, 'number', ended.number, 'at', ended.ended_at)
      ORDER BY ended.ended_at DESC) FILTER (WHERE NOT j.paused AND ended.status = 'failed'))[1] AS failure,
    (array_agg(jsonb_build_object('job', j.name, 'number', newest.number, 'at', newest.at)
      ORDER BY newest.id DESC) FILTER (WHERE newest.id IS NOT NULL))[1] AS newest
  FROM jobs j
  LEFT JOIN LATERAL (
    SELECT b.status, b.ended_at, ${NUMBER} AS number FROM builds b
    WHERE b.job_id = j.id AND b.ended_at IS NOT NULL ORDER BY b.number DESC, b.retry DESC LIMIT 1
  ) ended ON true
  LEFT JOIN LATERAL (
    SELECT b.id, coalesce(b.ended_at, b.started_at, b.created_at) AS at, ${NUMBER} AS number FROM builds b
    WHERE ${newestBuildOf(sql.fragment`j.id`)}
  ) newest ON true
  LEFT JOIN LATERAL (
    SELECT count(*) FILTER (WHERE b.status = 'started') AS running,
      count(*) FILTER (WHERE b.status <> 'started') AS waiting
    FROM builds b WHERE b.job_id = j.id AND b.ended_at IS NULL
  ) open ON true
  WHERE j.pipeline_id = p.id AND j.deleted_at IS NULL)`;

function toCardRow({ succeeded, failed, cancelled, warning, failure, newest, ...row }: StoredRow): CardRow {
  const { displayName, ...card } = row;
  return {
    ...card,
    outcomes: { succeeded, failed, cancelled, warning },
    ...withoutNulls({ displayName, failure: failure && inUtc(failure), newest: newest && inUtc(newest) }),
  };
}

/**
 * Converts the time, because Postgres writes it into JSON with microseconds and in the time zone of the
 * session.
 */
function inUtc(build: StoredBuild): StoredBuild {
  return { ...build, at: new Date(build.at).toISOString() };
}
