import type { CommonQueryMethods } from 'slonik';
import { rows } from '#adapters/database/connection/pool.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';

/**
 * Limit of the cached definitions together, in bytes of JSON. The last used definition stays cached even if
 * it is larger.
 */
export const MAX_CACHED_BYTES = 32 * 1024 * 1024;
/** Once the definitions of one answer have this many bytes of JSON together, the answer is complete. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Definitions by revision id. A definition never changes, so those that were used last are cached. */
export interface Definitions {
  /**
   * Returns definitions in the given order until their size reaches a limit, but at least the first. Call it
   * again for the others. Throws if a revision does not exist.
   */
  of(connection: CommonQueryMethods, revisions: readonly number[]): Promise<Map<number, Pipeline>>;
}

interface SizedDefinition {
  definition: Pipeline;
  bytes: number;
}

export function cachedDefinitions(maxBytes = MAX_CACHED_BYTES): Definitions {
  const cache = new Map<number, SizedDefinition>();
  let cachedBytes = 0;
  const drop = (revision: number): void => {
    cachedBytes -= cache.get(revision)?.bytes ?? 0;
    cache.delete(revision);
  };
  /** Adds a definition, and removes the least recently used definitions beyond the limit. */
  const add = (revision: number, sized: SizedDefinition): void => {
    drop(revision);
    cache.set(revision, sized);
    cachedBytes += sized.bytes;
    for (const oldest of cache.keys()) {
      if (cachedBytes <= maxBytes || oldest === revision) break;
      drop(oldest);
    }
  };
  return {
    async of(connection, revisions) {
      const answer = new Map<number, Pipeline>();
      let bytes = 0;
      for (const revision of new Set(revisions)) {
        if (bytes >= MAX_ANSWER_BYTES) break;
        const sized = cache.get(revision) ?? (await readDefinition(connection, revision));
        add(revision, sized);
        answer.set(revision, sized.definition);
        bytes += sized.bytes;
      }
      return answer;
    },
  };
}

async function readDefinition(connection: CommonQueryMethods, revision: number): Promise<SizedDefinition> {
  // Counts the bytes of the text here, because Postgres would convert the JSON to text a second time.
  const found = await connection.maybeOne(rows<{ json: string }>()`
    SELECT definition::text AS json FROM revisions WHERE id = ${revision}`);
  if (found === null) throw new Error(`Revision ${revision} is not in the database.`);
  return { definition: JSON.parse(found.json), bytes: Buffer.byteLength(found.json) };
}
