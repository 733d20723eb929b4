import { rows } from './connection/pool.ts';

/**
 * Reads the column that was added last, so it fails until the operator has migrated the schema to this
 * release.
 */
export const readNewestColumn = rows()`SELECT workers FROM teams LIMIT 1`;
