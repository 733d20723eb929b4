import type { CommonQueryMethods } from 'slonik';
import type { PipelineName } from '#flows/names.ts';
import { prepared } from './pool.ts';

export async function pipelineId(
  connection: CommonQueryMethods,
  { team, pipeline }: PipelineName,
): Promise<number | undefined> {
  const id = await connection.maybeOneFirst(prepared<{ id: number }>('pipeline_id')`
    SELECT p.id FROM pipelines p JOIN teams t ON t.id = p.team_id
    WHERE t.name = ${team} AND p.name = ${pipeline} AND p.deleted_at IS NULL`);
  return id ?? undefined;
}

/** `7` and `7.1`: the number of a build and that of its retry. Undefined when it is none. */
export function parseNumber(text: string): { number: number; retry: number } | undefined {
  const [, number, retry = '0'] = /^(\d{1,9})(?:\.(\d{1,9}))?$/.exec(text) ?? [];
  return number === undefined ? undefined : { number: Number(number), retry: Number(retry) };
}
