import type { PipelineName } from '#flows/names.ts';
import { LOCK, prepared, type Transaction } from './pool.ts';

/**
 * Alone with the pipeline until the transaction ends: nothing is saved, decided or ended of it meanwhile.
 * What is read of it must be read after this, since the statement that waited saw the time before. Answers
 * its row id; undefined when there is none of that name.
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
