import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids, prepared, type Transaction } from '#adapters/database/connection/pool.ts';
import type {
  InterruptFacts,
  InterruptibleBuild,
  VersionOrigin,
} from '#domain/scheduling/interrupt-older.ts';

type OriginRow = { id: number } & { [Field in keyof VersionOrigin]: string | null };

/** Returns the open builds of the jobs, and the origins of the versions of these builds and of `versions`. */
export async function interruptFacts(
  connection: Transaction,
  { jobs, versions }: { jobs: readonly number[]; versions: readonly number[] },
): Promise<InterruptFacts> {
  const open = await connection.any(prepared<InterruptibleBuild>('open_builds')`
    SELECT b.id, b.job_id AS job, coalesce((
      SELECT jsonb_agg(jsonb_build_object('resource', i.resource_id, 'version', i.version_id) ORDER BY i.position)
      FROM build_inputs i WHERE i.build_id = b.id AND i.resource_id IS NOT NULL), '[]') AS inputs
    FROM builds b WHERE b.job_id = ANY(${ids(jobs)}) AND b.ended_at IS NULL ORDER BY b.id`);
  const used = open.flatMap(({ inputs }) => inputs.map(({ version }) => version));
  const origins = await connection.any(prepared<OriginRow>('version_origins')`
    SELECT id, fields ->> 'pr' AS pr, fields ->> 'branch' AS branch FROM versions
    WHERE id = ANY(${ids([...new Set([...versions, ...used])])})
      AND coalesce(fields ->> 'pr', fields ->> 'branch') IS NOT NULL`);
  return {
    open: [...open],
    origins: new Map(origins.map(({ id, ...origin }) => [id, withoutNulls(origin)])),
  };
}
