import type { DatabasePool } from 'slonik';
import type { Done, Refused } from '#flows/action-ports.ts';
import type { PipelineName } from '#flows/ports.ts';
import { LOCK, prepared, type Transaction } from './pool.ts';

/**
 * A transaction alone with the pipeline: nothing is saved, decided or ended of it meanwhile. What is read of it must be read after this,
 * since the statement that waited saw the time before.
 */
export async function withPipeline<T extends Done>(
  pool: DatabasePool,
  name: PipelineName,
  act: (connection: Transaction, pipeline: number) => Promise<T | Refused>,
): Promise<T | Refused> {
  return await pool.transaction(async (connection) => {
    const id = await lockPipeline(connection, name);
    return id === undefined ? { answer: 'unknown' } : await act(connection, id);
  });
}

/** Answers its row id; undefined when there is none of that name. */
export async function lockPipeline(
  connection: Transaction,
  { team, pipeline }: PipelineName,
): Promise<number | undefined> {
  const id = await connection.maybeOneFirst(prepared<{ id: number }>('lock_pipeline_named')`
      WITH named AS MATERIALIZED (
        SELECT p.id FROM pipelines p JOIN teams t ON t.id = p.team_id
        WHERE t.name = ${team} AND p.name = ${pipeline} AND p.deleted_at IS NULL)
      SELECT id FROM named, pg_advisory_xact_lock(${LOCK.pipeline}, id::int)`);
  return id ?? undefined;
}

export function done(pipelineId: number, stopped: readonly number[] = []): Done {
  return { answer: 'done', pipelineId, stopped: [...stopped] };
}

export const MANAGED: Refused = {
  answer: 'refused',
  reasons: [
    {
      code: 'ManagedByManifest',
      message: 'The Pipeline object says so itself, and what it says wins: change its spec.',
    },
  ],
};
