import { sql } from 'slonik';
import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { rows, type Database } from '#adapters/database/connection/pool.ts';
import type { PipelineName } from '#flows/names.ts';
import type { CachedSources, PipelineStore } from '#flows/pipelines/ports.ts';

/** Stores what was fetched from the `source` URLs of a pipeline. */
export function cachedSources(database: Database): Pick<PipelineStore, 'cachedSources' | 'cacheSources'> {
  const { pool } = database;
  return {
    async cachedSources({ team, pipeline }: PipelineName) {
      const found = await pool.maybeOne(rows<CachedSources>()`
        SELECT key, sources FROM kept_sources WHERE team = ${team} AND pipeline = ${pipeline}`);
      return found ?? undefined;
    },
    async cacheSources({ team, pipeline }, { key, sources }) {
      await pool.transaction(async (connection) => {
        await holdEpoch(database, connection);
        await connection.query(rows()`
          INSERT INTO kept_sources (team, pipeline, key, sources)
          VALUES (${team}, ${pipeline}, ${key}, ${sql.jsonb(sources)})
          ON CONFLICT (team, pipeline) DO UPDATE
            SET key = excluded.key, sources = excluded.sources, fetched_at = now()`);
      });
    },
  };
}
