import type { DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { prepared } from '#adapters/database/connection/pool.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import type { ActiveStatus, EndedStatus } from '#domain/graph/state.ts';
import type { CardStore } from '#flows/views/card-ports.ts';
import type { OverviewPipeline, OverviewState, OverviewStore } from '#flows/views/overview-ports.ts';
import { cardStore } from './view-cards.ts';

interface JobRow {
  id: number;
  name: string;
  paused: boolean;
  ended: EndedStatus | null;
  doing: ActiveStatus[];
}

/** Reads what images, badges, overviews and the public view show. */
export function showStore({
  pool,
  definitions,
}: {
  pool: DatabasePool;
  definitions: Definitions;
}): OverviewStore & CardStore {
  return {
    ...cardStore(pool),
    async pipeline({ team, pipeline }) {
      const found = await pool.maybeOne(prepared<OverviewPipeline>('shown_pipeline')`
        SELECT p.id, t.name AS team, p.name AS pipeline, p.public, p.paused, v.id AS revision
        FROM pipelines p JOIN teams t ON t.id = p.team_id
        JOIN revisions v ON v.pipeline_id = p.id AND v.number = p.revision
        WHERE t.name = ${team} AND p.name = ${pipeline} AND p.deleted_at IS NULL`);
      return found ?? undefined;
    },
    async state(pipeline) {
      const [jobs, resources] = await Promise.all([jobsOf(pool, pipeline), resourcesOf(pool, pipeline)]);
      return { jobs, resources };
    },
    async definition(revision) {
      const found = (await definitions.of(pool, [revision])).get(revision);
      if (found === undefined) throw new Error(`Revision ${revision} is not in the database.`);
      return found;
    },
    async resourceOfVersion(pipeline, version) {
      const name = await pool.maybeOneFirst(prepared<{ name: string }>('resource_of_version')`
        SELECT r.name FROM versions v JOIN resources r ON r.scope_id = v.scope_id
        WHERE v.id = ${version} AND NOT v.forgotten AND r.pipeline_id = ${pipeline} AND r.deleted_at IS NULL LIMIT 1`);
      return name ?? undefined;
    },
  };
}

/**
 * `ended`: the status of the newest ended build, in the order of number, then retry. Its index scan stops at
 * the first row.
 */
async function jobsOf(pool: DatabasePool, pipeline: number): Promise<OverviewState['jobs']> {
  const found = await pool.any(prepared<JobRow>('shown_jobs')`
    SELECT j.id, j.name, j.paused,
      (SELECT b.status FROM builds b WHERE b.job_id = j.id AND b.ended_at IS NOT NULL
        ORDER BY b.number DESC, b.retry DESC LIMIT 1) AS ended,
      ARRAY(SELECT DISTINCT b.status FROM builds b WHERE b.job_id = j.id AND b.ended_at IS NULL ORDER BY 1) AS doing
    FROM jobs j WHERE j.pipeline_id = ${pipeline} AND j.deleted_at IS NULL ORDER BY j.position`);
  return found.map(({ ended, doing, ...job }) => ({
    ...job,
    doing: [...doing],
    ...withoutNulls({ ended }),
  }));
}

async function resourcesOf(pool: DatabasePool, pipeline: number): Promise<OverviewState['resources']> {
  const found = await pool.any(prepared<OverviewState['resources'][number]>('shown_resources')`
    SELECT r.id, r.name, r.type, r.pinned_by IS NOT NULL AS pinned, s.failures > 0 AS failing
    FROM resources r JOIN check_scopes s ON s.id = r.scope_id
    WHERE r.pipeline_id = ${pipeline} AND r.deleted_at IS NULL ORDER BY r.position`);
  return [...found];
}
