import { sql } from 'slonik';
import { queuedBuilds } from '#adapters/database/builds/scheduling/queued-builds.ts';
import { cronNext } from '#adapters/database/checks/cron-next.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { prepared, rows, type Database } from '#adapters/database/connection/pool.ts';
import { newestBuildOf } from '#adapters/database/revisions/newest-build.ts';
import { defined } from '#defined';
import type { Pipeline, Schedule } from '#domain/pipeline/pipeline.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { PipelineName } from '#flows/names.ts';
import type { PipelineStore, StoredFacts } from '#flows/pipelines/ports.ts';
import { cachedSources } from './cached-sources.ts';
import { markPipelineRemoved } from './remove-pipeline.ts';
import { renameStore } from './rename-pipeline.ts';
import { withPipelineToSave } from './save-pipeline.ts';

export function pipelineStore(database: Database & { webhookKey: Buffer }): PipelineStore {
  const { pool } = database;
  return {
    ...cachedSources(database),
    ...renameStore(database),
    withPipelineToSave: (toSave, work) => withPipelineToSave(database, toSave, work),
    cronNext,
    removePipeline: (name) => markPipelineRemoved(database, name),
    storedFacts: (name) => storedFacts(database, name),
    async definition({ team, pipeline }) {
      const found = await pool.maybeOne(rows<{ id: number; revision: number; definition: Pipeline }>()`
        SELECT p.id, p.revision, r.definition FROM pipelines p JOIN teams t ON t.id = p.team_id
        JOIN revisions r ON r.pipeline_id = p.id AND r.number = p.revision
        WHERE t.name = ${team} AND p.name = ${pipeline} AND p.deleted_at IS NULL`);
      return found === null
        ? undefined
        : { id: found.id, revision: found.revision, pipeline: found.definition };
    },
    async countPipelines(team) {
      return await pool.oneFirst(rows<{ count: number }>()`
        SELECT count(*) AS count FROM pipelines p JOIN teams t ON t.id = p.team_id
        WHERE t.name = ${team} AND p.deleted_at IS NULL`);
    },
    async livePipelines() {
      const live = await pool.any(rows<PipelineName & { namespace: string; uid: string }>()`
        SELECT t.name AS team, p.name AS pipeline, p.namespace, p.uid
        FROM pipelines p JOIN teams t ON t.id = p.team_id WHERE p.deleted_at IS NULL ORDER BY p.id`);
      return [...live];
    },
  };
}

interface FactsRow {
  id: number;
  revision: number;
  paused: boolean;
  queued: number;
  jobs:
    | {
        name: string;
        paused: boolean;
        lastBuild: { number: string; status: BuildStatus; endedAt: string | null } | null;
      }[]
    | null;
  resources: ResourceRow[] | null;
}

interface ResourceRow {
  name: string;
  versions: number;
  lastCheckedAt: string | null;
  nextCheckAt: string | null;
  checkError: string | null;
  omitted: number;
  hooksError: string | null;
  schedule: Schedule | null;
  heldSince: string | null;
}

async function storedFacts(
  { pool }: Database,
  { team, pipeline }: PipelineName,
): Promise<StoredFacts | undefined> {
  const found = await pool.maybeOne(prepared<FactsRow>('pipeline_facts')`
    SELECT p.id, p.revision, p.paused, ${queuedBuilds(sql.fragment`p.id`)} AS queued,
      (SELECT jsonb_agg(jsonb_build_object('name', j.name, 'paused', j.paused, 'lastBuild', (
          SELECT jsonb_build_object('status', b.status, 'endedAt', b.ended_at,
            'number', CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END)
          FROM builds b WHERE ${newestBuildOf(sql.fragment`j.id`)})) ORDER BY j.position)
        FROM jobs j WHERE j.pipeline_id = p.id AND j.deleted_at IS NULL) AS jobs,
      (SELECT jsonb_agg(jsonb_build_object('name', r.name, 'schedule', s.schedule, 'lastCheckedAt', s.last_checked_at,
          'nextCheckAt', s.next_check_at, 'checkError', s.last_error, 'omitted', s.cut,
          'hooksError', s.last_hooks ->> 'error', 'heldSince', s.held_since, 'versions', (
            SELECT count(*) FROM (SELECT 1 FROM versions v WHERE v.scope_id = s.id AND NOT v.forgotten
              LIMIT 10000) AS counted))
          ORDER BY r.position)
        FROM resources r JOIN check_scopes s ON s.id = r.scope_id
        WHERE r.pipeline_id = p.id AND r.deleted_at IS NULL) AS resources
    FROM pipelines p JOIN teams t ON t.id = p.team_id
    WHERE t.name = ${team} AND p.name = ${pipeline} AND p.deleted_at IS NULL`);
  if (found === null) return undefined;
  return {
    id: found.id,
    revision: found.revision,
    paused: found.paused,
    queued: found.queued,
    jobs: (found.jobs ?? []).map(({ name, paused, lastBuild }) => ({
      name,
      paused,
      ...(lastBuild === null ? {} : { lastBuild: toLastBuild(lastBuild) }),
    })),
    resources: (found.resources ?? []).map(toResource),
  };
}

function toLastBuild({
  number,
  status,
  endedAt,
}: {
  number: string;
  status: BuildStatus;
  endedAt: string | null;
}) {
  return { number, status, ...(endedAt === null ? {} : { endedAt: new Date(endedAt) }) };
}

function toResource(row: ResourceRow): StoredFacts['resources'][number] {
  const { name, versions, checkError, hooksError, schedule } = row;
  return {
    name,
    versions,
    ...withoutNulls({ schedule, checkError, hooksError }),
    ...defined({
      dueSince: toDate(row.heldSince ?? row.nextCheckAt),
      lastCheckedAt: toDate(row.lastCheckedAt),
      nextCheckAt: toDate(row.nextCheckAt),
      omitted: row.omitted === 0 ? undefined : row.omitted,
    }),
  };
}

const toDate = (text: string | null): Date | undefined => (text === null ? undefined : new Date(text));
