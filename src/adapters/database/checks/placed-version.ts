import { sql } from 'slonik';

/** Place and row id of a version. */
export type Placed = [place: number, id: number];

/** Returns the place, and notes the row id where the two differ. */
export type PlaceOf = (version: Placed) => number;

/** SQL: the `Placed` of version `v`. */
export const placed = sql.fragment`jsonb_build_array(v.place, v.id)`;
