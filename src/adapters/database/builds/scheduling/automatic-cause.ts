import { sql } from 'slonik';
import { textArray } from '#adapters/database/connection/pool.ts';
import { AUTOMATIC_CAUSES } from '#domain/scheduling/decision.ts';

/** SQL condition: no person requested the build `b`. */
export const IS_AUTOMATIC = sql.fragment`b.cause ->> 'kind' = ANY(${textArray(AUTOMATIC_CAUSES)})`;
