import { sql, type FragmentSqlToken, type PrimitiveValueExpression } from 'slonik';

/*
 * SQL for the versions of one scope in order, along the index (scope_id, place) or (scope_id, id).
 *
 * The scope is compared as a range of one value, never with `=`. With `=`, Postgres would drop the scope from
 * the ORDER BY and might walk the primary key through the versions of all scopes. That is slow for a scope
 * that has had no new version for a long time.
 *
 * Versions have two orders. Places say which version is newer; ids say in which order versions were found. At
 * first, the place of a version is its id. When a check prints known versions in another order, they get new
 * places from the sequence of ids. So a place is at least the id of its version, and it is never the id of
 * another version.
 */
type Value = FragmentSqlToken | PrimitiveValueExpression;

/** SQL condition: versions of this scope. Use it with one of the orders below. */
export const ofScope = (scope: Value): FragmentSqlToken =>
  sql.fragment`scope_id BETWEEN ${scope} AND ${scope}`;

/** SQL condition: versions older than the place. */
export const olderThan = (scope: Value, place: Value): FragmentSqlToken =>
  sql.fragment`scope_id >= ${scope} AND (scope_id, place) < (${scope}, ${place})`;

/** SQL condition: versions newer than the place. */
export const newerThan = (scope: Value, place: Value): FragmentSqlToken =>
  sql.fragment`scope_id <= ${scope} AND (scope_id, place) > (${scope}, ${place})`;

export const NEWEST_FIRST = sql.fragment`ORDER BY scope_id DESC, place DESC`;
export const OLDEST_FIRST = sql.fragment`ORDER BY scope_id, place`;

/** SQL condition: versions found after the one with this id. */
export const foundAfter = (scope: Value, id: Value): FragmentSqlToken =>
  sql.fragment`scope_id <= ${scope} AND (scope_id, id) > (${scope}, ${id})`;

export const LAST_FOUND_FIRST = sql.fragment`ORDER BY scope_id DESC, id DESC`;
export const FIRST_FOUND_FIRST = sql.fragment`ORDER BY scope_id, id`;
