import { sql, type DatabasePool } from 'slonik';
import { addVersions } from '#adapters/database/checks/record-versions.ts';
import { ids, rows } from '#adapters/database/connection/pool.ts';
import type {
  EmittedEvent,
  StreamName,
  TriggerStream,
  TriggerStreams,
} from '#flows/checks/trigger-stream-ports.ts';
import { cutPage, pageSize, type Listed, type Page } from '#flows/page.ts';

/** The resources `trigger.<name>` in all pipelines of a team form the stream `<name>`. */
const NAME_PREFIX = 'trigger.';

export function triggerStreams({ pool }: { pool: DatabasePool }): TriggerStreams {
  return {
    streams: async (team) => await streamsOf(pool, team),
    events: async (stream, page) => await eventsOf(pool, stream, page),
    emit: async (stream, { version, at }) =>
      await pool.transaction(async (connection) => {
        // Locks scopes in order of id, so that two events or puts of one stream cannot deadlock.
        const receivers = await connection.any(rows<{ scope: number; pipeline: string }>()`
          WITH declared AS (SELECT r.scope_id, p.name ${resourcesOf(stream)})
          SELECT s.id AS scope, d.name AS pipeline FROM declared d JOIN check_scopes s ON s.id = d.scope_id
          ORDER BY s.id FOR UPDATE OF s`);
        if (receivers.length === 0) return undefined;
        for (const { scope } of receivers) await addVersions(connection, scope, [version], { at });
        return receivers.map(({ pipeline }) => pipeline).toSorted();
      }),
  };
}

/** SQL: the resources of the stream (`r`) and their pipelines (`p`). */
const resourcesOf = ({ team, trigger }: StreamName) => sql.fragment`
  FROM teams t JOIN pipelines p ON p.team_id = t.id AND p.deleted_at IS NULL
  JOIN resources r ON r.pipeline_id = p.id AND r.stream AND r.deleted_at IS NULL AND r.name = ${NAME_PREFIX + trigger}
  WHERE t.name = ${team} AND t.deleted_at IS NULL`;

interface StreamRow {
  trigger: string;
  pipelines: string[];
  newest: { id: number; version: Record<string, string>; at: string } | null;
}

/**
 * Returns undefined if there is no such team. The id of the newest event is the smallest id of its rows, as
 * in `eventsOf`.
 */
async function streamsOf(pool: DatabasePool, team: string): Promise<TriggerStream[] | undefined> {
  const found = await pool.any(rows<StreamRow>()`
    SELECT substr(r.name, ${NAME_PREFIX.length + 1}) AS trigger, jsonb_agg(p.name ORDER BY p.name COLLATE "C") AS pipelines, (
        SELECT jsonb_build_object('id', (
          SELECT min(o.id) FROM versions o WHERE o.scope_id = ANY(array_agg(r.scope_id)) AND o.digest = v.digest),
          'version', v.fields, 'at', v.found_at) FROM versions v
        WHERE v.scope_id = ANY(array_agg(r.scope_id)) ORDER BY v.id DESC LIMIT 1) AS newest
    FROM teams t JOIN pipelines p ON p.team_id = t.id AND p.deleted_at IS NULL
    JOIN resources r ON r.pipeline_id = p.id AND r.stream AND r.deleted_at IS NULL
    WHERE t.name = ${team} AND t.deleted_at IS NULL
    GROUP BY r.name ORDER BY r.name COLLATE "C"`);
  if (found.length === 0 && !(await teamExists(pool, team))) return undefined;
  return found.map(({ newest, ...stream }) => ({
    ...stream,
    ...(newest !== null && { newest: { ...newest, at: new Date(newest.at) } }),
  }));
}

async function teamExists(pool: DatabasePool, team: string): Promise<boolean> {
  return await pool.exists(rows()`SELECT 1 FROM teams WHERE name = ${team} AND deleted_at IS NULL`);
}

/**
 * An event has a row in the history of each resource of the stream. The smallest id of all these rows is the
 * id of the event, so a page never repeats an event of an earlier page. From each history, the query reads
 * two rows more than the page holds: one to tell whether there are more events, and one because the first row
 * may belong to the event at `after`, which an earlier page has shown.
 */
async function eventsOf(
  pool: DatabasePool,
  stream: StreamName,
  page: Page,
): Promise<Listed<EmittedEvent> | undefined> {
  const scopes = await pool.anyFirst(rows<{ scope: number }>()`
    SELECT r.scope_id AS scope ${resourcesOf(stream)} AND r.scope_id IS NOT NULL ORDER BY 1`);
  if (scopes.length === 0) return undefined;
  const order = page.after === undefined ? sql.fragment`DESC` : sql.fragment`ASC`;
  const found = await pool.any(rows<EmittedEvent>()`
    WITH events AS (
      SELECT DISTINCT v.digest FROM unnest(${ids(scopes)}) AS s (id), LATERAL (
        SELECT id, digest FROM versions
        WHERE scope_id = s.id AND id < ${page.before ?? Number.MAX_SAFE_INTEGER} AND id > ${page.after ?? 0}
        ORDER BY id ${order} LIMIT ${pageSize(page) + 2}) AS v)
    SELECT min(v.id) AS id, v.fields AS version, min(v.found_at) AS at
    FROM events e JOIN versions v ON v.scope_id = ANY(${ids(scopes)}) AND v.digest = e.digest
    GROUP BY v.digest, v.fields HAVING min(v.id) > ${page.after ?? 0}
    ORDER BY 1 ${order} LIMIT ${pageSize(page) + 1}`);
  return cutPage(found, page);
}
