import { sql } from 'slonik';

/** Place and row id of a version. */
export type Placed = [place: number, id: number];

/** Notes which row is at the place, where the two numbers differ. */
export type PlaceOf = (version: Placed) => number;

/** Of `v`. */
export const placed = sql.fragment`jsonb_build_array(v.place, v.id)`;
