import { writePin, writeUnpin } from '#flows/pin-resource.ts';
import { pinTransaction } from './pin-resource.ts';
import { rows, type Transaction } from './pool.ts';

type Fields = Record<string, string>;

interface Row {
  id: number;
  wanted: Fields | null;
  /** It is not what the manifest said before. */
  changes: boolean;
  version: number | null;
}

/**
 * Pins of the manifest: written when they change, resolved when their version is known, gone when they are not named any more. The caller
 * holds the pipeline's lock. Answers the builds that ended; undefined: all pins are as they were.
 */
export async function savePins(
  connection: Transaction,
  pipeline: number,
  pins: readonly { resource: string; version: Fields }[],
): Promise<number[] | undefined> {
  const found = await connection.any(rows<Row>()`
    SELECT r.id, n.version AS wanted, n.version IS DISTINCT FROM r.pin_wanted AS changes,
      (SELECT v.id FROM versions v WHERE v.scope_id = r.scope_id AND v.fields @> n.version ORDER BY v.place DESC LIMIT 1) AS version
    FROM resources r LEFT JOIN jsonb_to_recordset(${JSON.stringify(pins)}::jsonb) AS n (resource text, version jsonb) ON n.resource = r.name
    WHERE r.pipeline_id = ${pipeline} AND r.deleted_at IS NULL AND (n.version IS NOT NULL OR r.pin_wanted IS NOT NULL)
    ORDER BY r.id`);
  const changed = found.filter(({ changes }) => changes);
  const tx = pinTransaction(connection);
  const stopped: number[] = [];
  for (const { id, wanted, version } of changed) {
    if (wanted === null) await writeUnpin(id, tx);
    else {
      const pin = { resource: id, wanted, by: 'manifest', ...(version === null ? {} : { version }) };
      stopped.push(...(await writePin(pin, new Date(), tx)));
    }
  }
  return changed.length === 0 ? undefined : stopped;
}
