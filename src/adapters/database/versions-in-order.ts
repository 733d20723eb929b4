import { sql, type FragmentSqlToken, type PrimitiveValueExpression } from 'slonik';

/*
 * The versions of one scope in their order, by the index that has it. Were the scope compared with `=`, it would drop out of the order, and the
 * planner could as well follow the table's key through the versions of all scopes: quick while all change alike, and slow by what the others
 * have when one has not changed for long. A range of one keeps it in, and a pair of scope and version finds its place in the index.
 */
type Value = FragmentSqlToken | PrimitiveValueExpression;

/** Condition: versions of this scope. It belongs with one of the orders below. */
export const ofScope = (scope: Value): FragmentSqlToken =>
  sql.fragment`scope_id BETWEEN ${scope} AND ${scope}`;

/** … older than that one. */
export const olderThan = (scope: Value, version: Value): FragmentSqlToken =>
  sql.fragment`scope_id >= ${scope} AND (scope_id, id) < (${scope}, ${version})`;

/** … newer than that one. */
export const newerThan = (scope: Value, version: Value): FragmentSqlToken =>
  sql.fragment`scope_id <= ${scope} AND (scope_id, id) > (${scope}, ${version})`;

export const NEWEST_FIRST = sql.fragment`ORDER BY scope_id DESC, id DESC`;
export const OLDEST_FIRST = sql.fragment`ORDER BY scope_id, id`;
