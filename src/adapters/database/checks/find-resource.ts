import { rows, type Transaction } from '#adapters/database/connection/pool.ts';
import type { LockedResource } from '#flows/builds/action-ports.ts';

/** Returns undefined if the resource does not exist or does not have the version. */
export async function findResource(
  connection: Transaction,
  pipeline: number,
  { name, version }: { name: string; version?: number | undefined },
): Promise<LockedResource | undefined> {
  const found = await connection.maybeOne(rows<LockedResource>()`
    SELECT r.id, r.pinned_version IS NOT NULL OR r.pin_wanted IS NOT NULL AS pinned, r.pin_wanted IS NOT NULL AS managed
    FROM resources r WHERE r.pipeline_id = ${pipeline} AND r.name = ${name} AND r.deleted_at IS NULL
      AND (${version ?? null}::bigint IS NULL
        OR EXISTS (SELECT 1 FROM versions v WHERE v.id = ${version ?? null}::bigint
          AND v.scope_id = r.scope_id AND NOT v.forgotten))`);
  return found ?? undefined;
}
