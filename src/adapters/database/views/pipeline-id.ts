import type { CommonQueryMethods } from 'slonik';
import { prepared } from '#adapters/database/connection/pool.ts';
import type { PipelineName } from '#flows/names.ts';

export async function pipelineId(
  connection: CommonQueryMethods,
  { team, pipeline }: PipelineName,
): Promise<number | undefined> {
  const id = await connection.maybeOneFirst(prepared<{ id: number }>('pipeline_id')`
    SELECT p.id FROM pipelines p JOIN teams t ON t.id = p.team_id
    WHERE t.name = ${team} AND p.name = ${pipeline} AND p.deleted_at IS NULL`);
  return id ?? undefined;
}
