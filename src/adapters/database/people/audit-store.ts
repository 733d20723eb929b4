import { sql, type CommonQueryMethods, type DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows, textArray, timestamp } from '#adapters/database/connection/pool.ts';
import { cutPage, pageSize } from '#flows/page.ts';
import type { AuditEntry, AuditFilter, AuditStore } from '#flows/people/ports.ts';

/** Writes an audit entry. Pass the connection of the transaction that makes the change, if there is one. */
export async function audit(connection: CommonQueryMethods, entry: AuditEntry): Promise<void> {
  const { team = null, actor, action, targetType, target, details = {}, at } = entry;
  const detailsJson = JSON.stringify(details);
  await connection.query(rows()`
    INSERT INTO audit_log (team, actor, action, target_type, target, details, at)
    VALUES (${team}, ${actor}, ${action}, ${targetType}, ${target}, ${detailsJson}::jsonb, ${timestamp(at)})`);
}

interface AuditRow {
  id: number;
  team: string | null;
  actor: string;
  action: string;
  targetType: string;
  target: string;
  details: Record<string, unknown>;
  at: Date;
}

export function auditStore({ pool }: { pool: DatabasePool }): AuditStore {
  return {
    record: async (entry) => await audit(pool, entry),
    async entries(team, filter, page) {
      const { before, after } = page;
      const found = await pool.any(rows<AuditRow>()`
        SELECT id, team, actor, action, target_type AS "targetType", target, details, at FROM audit_log
        WHERE ${sql.join(
          [
            team === undefined ? sql.fragment`true` : sql.fragment`team = ${team}`,
            ...conditions(filter),
            ...(before === undefined ? [] : [sql.fragment`id < ${before}`]),
            ...(after === undefined ? [] : [sql.fragment`id > ${after}`]),
          ],
          sql.fragment` AND `,
        )}
        ORDER BY id ${after === undefined ? sql.fragment`DESC` : sql.fragment`ASC`} LIMIT ${pageSize(page) + 1}`);
      return cutPage(found.map(withoutNulls), page);
    },
  };
}

/**
 * SQL conditions, all of which an entry must meet. A list matches an entry with one of its values; `notUsers`
 * and `notActions` match an entry with none of them.
 */
function conditions({ users, notUsers, actions, notActions, pipeline, since, until }: AuditFilter) {
  return [
    users === undefined ? undefined : sql.fragment`actor = ANY(${textArray(users)})`,
    notUsers === undefined ? undefined : sql.fragment`actor <> ALL(${textArray(notUsers)})`,
    actions === undefined ? undefined : sql.fragment`action = ANY(${textArray(actions)})`,
    notActions === undefined ? undefined : sql.fragment`action <> ALL(${textArray(notActions)})`,
    pipeline === undefined
      ? undefined
      : sql.fragment`(target = ${pipeline} OR starts_with(target, ${`${pipeline}/`}))`,
    since === undefined ? undefined : sql.fragment`at >= ${timestamp(since)}`,
    until === undefined ? undefined : sql.fragment`at < ${timestamp(until)}`,
  ].filter((condition) => condition !== undefined);
}
