import { sql, type DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import type {
  CacheLogSizes,
  TeamUsage,
  TeamLimitsAndUsage,
  TeamUseLimits,
  TeamUseViews,
} from '#flows/people/team-use-ports.ts';

export function teamUseViews({ pool }: { pool: DatabasePool }, cacheLogSizes: CacheLogSizes): TeamUseViews {
  const logSizes = cacheLogSizes({
    ofTeam: (team) => pool.oneFirst(rows<{ bytes: number }>()`${LOG_BYTES} WHERE p.team_id = ${team}`),
    async ofTeams() {
      const sizes = await pool.any(rows<LogSizeRow>()`${LOG_BYTES_OF_TEAMS}`);
      return new Map(sizes.map(({ team, bytes }) => [team, bytes]));
    },
  });
  return {
    async useOf(team) {
      const found = await pool.maybeOne(rows<UseRow>()`${TEAM_USE} AND t.name = ${team}`);
      return found === null ? undefined : toTeamUse(found, await logSizes.ofTeam(found.id));
    },
    async useOfTeams() {
      const found = await pool.any(rows<UseRow>()`${TEAM_USE} ORDER BY t.name`);
      const sizes = await logSizes.ofTeams();
      return found.map((row) => toTeamUse(row, sizes.get(row.id) ?? 0));
    },
  };
}

interface LogSizeRow {
  team: number;
  bytes: number;
}

interface UseRow extends Omit<TeamUsage, 'logBytes'> {
  id: number;
  team: string;
  displayName: string | null;
  namespace: string;
  createdAt: Date;
  runningLimit: number | null;
  defaultTimeoutSeconds: number | null;
  buildLogBytes: number | null;
  retention: TeamUseLimits['retention'] | null;
  workers: TeamLimitsAndUsage['workers'] | null;
}

/** SQL: counts the open builds of team `t`. Postgres finds them in an index that has only open builds. */
const OPEN_BUILDS = sql.fragment`
  SELECT count(*) FILTER (WHERE b.admitted_at IS NOT NULL)::int AS running,
    count(*) FILTER (WHERE b.admitted_at IS NULL AND b.status = 'pending')::int AS queued,
    count(*) FILTER (WHERE b.status = 'waiting')::int AS waiting
  FROM pipelines p JOIN jobs j ON j.pipeline_id = p.id JOIN builds b ON b.job_id = j.id AND b.ended_at IS NULL
  WHERE p.team_id = t.id`;

/** SQL: attempts with stored logs. Postgres reads their sizes from an index. */
const STORED_LOGS = sql.fragment`
  FROM pipelines p JOIN jobs j ON j.pipeline_id = p.id JOIN builds b ON b.job_id = j.id
    JOIN build_attempts a ON a.build_id = b.id AND a.stored_log_bytes > 0`;

const LOG_BYTES = sql.fragment`
  SELECT coalesce(sum(a.stored_log_bytes), 0)::bigint AS bytes ${STORED_LOGS}`;

const LOG_BYTES_OF_TEAMS = sql.fragment`
  SELECT p.team_id AS team, sum(a.stored_log_bytes)::bigint AS bytes ${STORED_LOGS} GROUP BY p.team_id`;

const TEAM_USE = sql.fragment`
  SELECT t.id, t.name AS team, t.display_name AS "displayName", t.namespace, t.created_at AS "createdAt",
    t.running_builds AS "runningLimit", t.default_timeout_seconds AS "defaultTimeoutSeconds",
    t.build_log_bytes AS "buildLogBytes", t.retention, t.workers,
    o.running AS "runningBuilds", o.queued AS "queuedBuilds", o.waiting AS "waitingBuilds",
    c.caches, c.bytes AS "cacheBytes",
    (SELECT count(*)::int FROM warm_pods w WHERE w.team_id = t.id AND w.state IN ('creating', 'ready')) AS "warmPods"
  FROM teams t CROSS JOIN LATERAL (${OPEN_BUILDS}) AS o
    CROSS JOIN LATERAL (
      SELECT count(c.id)::int AS caches, coalesce(sum(c.bytes), 0)::bigint AS bytes
      FROM pipelines p JOIN caches c ON c.pipeline_id = p.id
      WHERE p.team_id = t.id AND p.deleted_at IS NULL) AS c
  WHERE t.deleted_at IS NULL`;

function toTeamUse(row: UseRow, logBytes: number): TeamLimitsAndUsage {
  const { id: _id, team, displayName, namespace, createdAt, ...columns } = row;
  const { runningLimit, defaultTimeoutSeconds, buildLogBytes, retention, workers, ...usage } = columns;
  return {
    team,
    namespace,
    createdAt,
    usage: { ...usage, logBytes },
    limits: withoutNulls({ runningBuilds: runningLimit, defaultTimeoutSeconds, buildLogBytes, retention }),
    ...withoutNulls({ displayName, workers }),
  };
}
