import { zstdDecompressSync } from 'node:zlib';
import { runOrThrow } from '#e2e/support/command.ts';
import { RELEASE } from '#tools/chart/install.ts';
import type { BuildOfRun, SoakJob } from './history.ts';

/* The team's rows in Postgres after the run. Times are milliseconds since the epoch. */

export type RecordedBuild = BuildOfRun & {
  id: number;
  status: string;
  attempt: number;
  cause: { kind: string; version?: number; request?: number };
  reason: string | null;
  message: string | null;
  createdAt: number;
  endedAt: number | null;
};

export interface AttemptRow {
  build: number;
  attempt: number;
  createdAt: number;
  endedAt: number | null;
  podUid: string | null;
  /** Why the attempt was lost; null if the build ended with this attempt. */
  reason: string | null;
}

interface StepRow {
  build: number;
  attempt: number;
  kind: string;
  name: string;
  status: string;
}

export interface VersionRow {
  id: number;
  pipeline: string;
  resource: string;
  n: string | null;
  foundAt: number;
  /** The id of the build whose put made the version; null if a check found it. */
  build: number | null;
}

interface InputRow {
  build: number;
  resource: string;
  version: number;
}

type TriggerRow = SoakJob & { id: number; build: number | null; refused: boolean };

export interface LogRow {
  build: number;
  attempt: number;
  sequence: number;
  text: string;
}

interface PipelineRow {
  name: string;
  revision: number;
  paused: boolean;
  text: string;
}

export interface DatabaseContents {
  builds: RecordedBuild[];
  attempts: AttemptRow[];
  steps: StepRow[];
  versions: VersionRow[];
  inputs: InputRow[];
  triggers: TriggerRow[];
  pipelines: PipelineRow[];
  openRuns: number;
  waitingJobs: string[];
  logs: LogRow[];
}

const toMs = (column: string): string => `(extract(epoch FROM ${column}) * 1000)::float8`;
const TEAM_PIPELINES = `pipelines p JOIN teams t ON t.id = p.team_id AND t.name = :'team'`;
const TEAM_BUILDS = `${TEAM_PIPELINES} JOIN jobs j ON j.pipeline_id = p.id JOIN builds b ON b.job_id = j.id`;

const QUERIES: Readonly<Record<Exclude<keyof DatabaseContents, 'logs'>, string>> = {
  builds: `SELECT coalesce(jsonb_agg(x ORDER BY x.id), '[]') FROM (
    SELECT b.id, p.name AS pipeline, j.name AS job, b.attempt, b.status, b.cause, b.reason, b.message,
      CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END AS number,
      ${toMs('b.created_at')} AS "createdAt", ${toMs('b.ended_at')} AS "endedAt" FROM ${TEAM_BUILDS}) x`,
  attempts: `SELECT coalesce(jsonb_agg(x ORDER BY x.build, x.attempt), '[]') FROM (
    SELECT a.build_id AS build, a.attempt, a.pod_uid AS "podUid", a.reason,
      ${toMs('a.created_at')} AS "createdAt", ${toMs('a.ended_at')} AS "endedAt"
    FROM ${TEAM_BUILDS} JOIN build_attempts a ON a.build_id = b.id) x`,
  steps: `SELECT coalesce(jsonb_agg(x), '[]') FROM (
    SELECT s.build_id AS build, s.attempt, s.kind, s.name, s.status
    FROM ${TEAM_BUILDS} JOIN build_steps s ON s.build_id = b.id ORDER BY s.build_id, s.attempt, s.position) x`,
  versions: `SELECT coalesce(jsonb_agg(x ORDER BY x.id), '[]') FROM (
    SELECT v.id, p.name AS pipeline, r.name AS resource, v.fields ->> 'n' AS n, ${toMs('v.found_at')} AS "foundAt",
      v.build_id AS build FROM ${TEAM_PIPELINES} JOIN resources r ON r.pipeline_id = p.id JOIN versions v ON v.scope_id = r.scope_id) x`,
  inputs: `SELECT coalesce(jsonb_agg(x), '[]') FROM (
    SELECT i.build_id AS build, r.name AS resource, i.version_id AS version
    FROM ${TEAM_BUILDS} JOIN build_inputs i ON i.build_id = b.id JOIN resources r ON r.id = i.resource_id) x`,
  triggers: `SELECT coalesce(jsonb_agg(x ORDER BY x.id), '[]') FROM (
    SELECT m.id, p.name AS pipeline, j.name AS job, m.build_id AS build, m.refused IS NOT NULL AS refused
    FROM ${TEAM_PIPELINES} JOIN jobs j ON j.pipeline_id = p.id JOIN job_triggers m ON m.job_id = j.id) x`,
  pipelines: `SELECT coalesce(jsonb_agg(x), '[]') FROM (
    SELECT p.name, p.revision, p.paused, v.config AS text
    FROM ${TEAM_PIPELINES} JOIN revisions v ON v.pipeline_id = p.id AND v.number = p.revision) x`,
  openRuns: `SELECT count(*) FROM ${TEAM_PIPELINES} JOIN check_runs c ON c.pipeline_id = p.id WHERE c.closed_at IS NULL`,
  waitingJobs: `SELECT coalesce(jsonb_agg(p.name || '/' || j.name), '[]')
    FROM ${TEAM_PIPELINES} JOIN jobs j ON j.pipeline_id = p.id
    WHERE j.schedule_requested > j.last_scheduled AND j.deleted_at IS NULL AND p.deleted_at IS NULL`,
};

const LOGS = `SELECT coalesce(jsonb_agg(x), '[]') FROM (
  SELECT l.build_id AS build, l.attempt, l.sequence, l.encoding, encode(l.content, 'hex') AS content
  FROM ${TEAM_BUILDS} JOIN build_logs l ON l.build_id = b.id ORDER BY l.build_id, l.attempt, l.sequence) x`;

const PSQL = `PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") PGOPTIONS="-c default_transaction_read_only=on" \
exec psql --quiet --tuples-only --no-align --set=ON_ERROR_STOP=1 --set=team="$1" \
  -U "$POSTGRES_USER" -d "$POSTGRES_DB" -f -`;

/** Runs the queries in one transaction, so all answers show the same moment. */
const ask = async (team: string, queries: readonly string[]): Promise<string[]> => {
  const input = `BEGIN ISOLATION LEVEL REPEATABLE READ;\n${queries.map((query) => `${query};`).join('\n')}\nCOMMIT;\n`;
  const pod = `${RELEASE.name}-postgres-0`;
  const execArguments = ['exec', '--stdin', '--namespace', RELEASE.namespace, pod, '--container', 'postgres'];
  const answer = await runOrThrow('kubectl', [...execArguments, '--', 'sh', '-c', PSQL, 'psql', team], {
    input,
  });
  return answer.trimEnd().split('\n');
};

/** Everything about the team except its logs. */
export const readDatabase = async (team: string): Promise<Omit<DatabaseContents, 'logs'>> => {
  const names = Object.keys(QUERIES);
  const answers = await ask(team, Object.values(QUERIES));
  const contents: Omit<DatabaseContents, 'logs'> = JSON.parse(
    `{${names.map((name, index) => `"${name}": ${answers[index]}`).join(', ')}}`,
  );
  return contents;
};

/** The parts of all logs, with their attempts. The API joins the logs of the attempts of a build. */
export const readLogs = async (team: string): Promise<LogRow[]> => {
  const [answer = '[]'] = await ask(team, [LOGS]);
  const rows: { build: number; attempt: number; sequence: number; encoding: string; content: string }[] =
    JSON.parse(answer);
  return rows.map(({ build, attempt, sequence, encoding, content }) => {
    const bytes = Buffer.from(content, 'hex');
    const text = (encoding === 'zstd' ? zstdDecompressSync(bytes) : bytes).toString('utf8');
    return { build, attempt, sequence, text };
  });
};
