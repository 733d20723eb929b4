import type { DatabasePool } from 'slonik';
import { rows } from '#adapters/database/connection/pool.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import type { Job } from '#domain/pipeline/pipeline.ts';
import type { JobName } from '#flows/names.ts';

/** Returns the job as the current revision of its pipeline defines it. */
export async function viewJobDefinition(
  { pool, definitions }: { pool: DatabasePool; definitions: Definitions },
  { team, pipeline, job }: JobName,
): Promise<Job | undefined> {
  const revision = await pool.maybeOneFirst(rows<{ id: number }>()`
    SELECT v.id FROM pipelines p JOIN teams t ON t.id = p.team_id
    JOIN revisions v ON v.pipeline_id = p.id AND v.number = p.revision
    WHERE t.name = ${team} AND p.name = ${pipeline} AND p.deleted_at IS NULL`);
  if (revision === null) return undefined;
  return (await definitions.part(pool, { revision, job })).jobs[0];
}
