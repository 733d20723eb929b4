import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';
import type { ChangedPin } from '#flows/pipelines/save-ports.ts';

type Fields = Record<string, string>;

interface PinRow {
  resource: number;
  wanted: Fields | null;
  /** The manifest changes the pin. */
  changes: boolean;
  version: number | null;
}

/** Returns the pins that the manifest adds, changes or removes. `wanted` is absent if it removes the pin. */
export async function changedPins(
  connection: Transaction,
  pipeline: number,
  pins: readonly { resource: string; version: Fields }[],
): Promise<ChangedPin[]> {
  const found = await connection.any(rows<PinRow>()`
    SELECT r.id AS resource, n.version AS wanted, n.version IS DISTINCT FROM r.pin_wanted AS changes,
      (SELECT v.id FROM versions v WHERE v.scope_id = r.scope_id AND v.fields @> n.version
        ORDER BY v.place DESC LIMIT 1) AS version
    FROM resources r LEFT JOIN jsonb_to_recordset(${JSON.stringify(pins)}::jsonb) AS n (resource text,
      version jsonb) ON n.resource = r.name
    WHERE r.pipeline_id = ${pipeline} AND r.deleted_at IS NULL AND (n.version IS NOT NULL OR r.pin_wanted IS NOT NULL)
    ORDER BY r.id`);
  return found.flatMap(({ changes, ...pin }) => (changes ? [withoutNulls(pin)] : []));
}
