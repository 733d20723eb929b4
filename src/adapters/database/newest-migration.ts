import type { DatabasePool } from 'slonik';
import { rows } from './connection/pool.ts';

/** The newest file in `migrations`, without its ending. */
export const NEWEST_MIGRATION = '0076-waiting-builds-have-a-gate';

/** Throws until the operator has migrated the schema to that of this release, or to a newer one. */
export async function requireSchema(pool: DatabasePool): Promise<void> {
  const found = await pool.maybeOne(rows()`SELECT 1 FROM migrations WHERE name = ${NEWEST_MIGRATION}`);
  if (found === null) throw new Error(`The migration ${NEWEST_MIGRATION} has not run yet.`);
}
