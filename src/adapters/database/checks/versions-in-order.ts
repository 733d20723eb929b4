import { sql, type FragmentSqlToken, type PrimitiveValueExpression } from 'slonik';

/*
 * The versions of one scope in their order, by the index that has it. Were the scope compared with `=`, it
 * would drop out of the order, and the planner could as well follow the table's key through the versions of
 * all scopes: quick while all change alike, and slow by what the others have when one has not changed for
 * long. A range of one keeps it in, and a pair of scope and version finds its place in the index.
 *
 * Versions have two orders. Their places say which is newer; ids say in which order they were found. A place
 * is the id, or a larger number of the same sequence once a check has printed the version in another order:
 * it is never below the id, and no other version's id.
 */
type Value = FragmentSqlToken | PrimitiveValueExpression;

/** Condition: versions of this scope. It belongs with one of the orders below. */
export const ofScope = (scope: Value): FragmentSqlToken =>
  sql.fragment`scope_id BETWEEN ${scope} AND ${scope}`;

/** … older than what is at that place. */
export const olderThan = (scope: Value, place: Value): FragmentSqlToken =>
  sql.fragment`scope_id >= ${scope} AND (scope_id, place) < (${scope}, ${place})`;

/** … newer than what is at that place. */
export const newerThan = (scope: Value, place: Value): FragmentSqlToken =>
  sql.fragment`scope_id <= ${scope} AND (scope_id, place) > (${scope}, ${place})`;

export const NEWEST_FIRST = sql.fragment`ORDER BY scope_id DESC, place DESC`;
export const OLDEST_FIRST = sql.fragment`ORDER BY scope_id, place`;

/** … found after that one. */
export const foundAfter = (scope: Value, id: Value): FragmentSqlToken =>
  sql.fragment`scope_id <= ${scope} AND (scope_id, id) > (${scope}, ${id})`;

export const FOUND_LAST_FIRST = sql.fragment`ORDER BY scope_id DESC, id DESC`;
export const FOUND_FIRST_FIRST = sql.fragment`ORDER BY scope_id, id`;
