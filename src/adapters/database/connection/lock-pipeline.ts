import type { PipelineName } from '#flows/names.ts';
import { LOCK, prepared, type Transaction } from './pool.ts';

/**
 * Locks the pipeline until the transaction ends, so that no other transaction saves it, decides on it or ends
 * its builds. Read facts with a later statement, because the statement that locks sees the data from before
 * it got the lock. Returns the row id of the pipeline; undefined if there is no such pipeline.
 */
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
