import { sql } from 'slonik';

/** Place and row id of a version. */
export type PlacedVersion = [place: number, id: number];

/** Returns the place of the version. Also stores the row id for `Facts.ids` if it differs from the place. */
export type PlaceOf = (version: PlacedVersion) => number;

/** SQL: the `PlacedVersion` of version `v`. */
export const placed = sql.fragment`jsonb_build_array(v.place, v.id)`;
