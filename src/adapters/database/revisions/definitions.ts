import type { CommonQueryMethods } from 'slonik';
import { rows } from '#adapters/database/connection/pool.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';

/** Bytes of cached definitions, as JSON. The one used last stays cached even if it is larger. */
export const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** Bytes of definitions that one call returns. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/**
 * Definitions by revision id. They never change, so some are cached and frequent queries need not read them.
 */
export interface Definitions {
  /**
   * Returns definitions in the given order until their size reaches the limit; at least the first. Call again
   * for the rest.
   */
  of(connection: CommonQueryMethods, revisions: readonly number[]): Promise<Map<number, Pipeline>>;
}

interface Sized {
  definition: Pipeline;
  bytes: number;
}

export function definitions(mostBytes = MAX_KEPT_BYTES): Definitions {
  const kept = new Map<number, Sized>();
  let keptBytes = 0;
  const forget = (revision: number): void => {
    keptBytes -= kept.get(revision)?.bytes ?? 0;
    kept.delete(revision);
  };
  /** Adds it, and removes the least recently used ones beyond the limit. */
  const keep = (revision: number, sized: Sized): void => {
    forget(revision);
    kept.set(revision, sized);
    keptBytes += sized.bytes;
    for (const oldest of kept.keys()) {
      if (keptBytes <= mostBytes || oldest === revision) break;
      forget(oldest);
    }
  };
  return {
    async of(connection, revisions) {
      const answer = new Map<number, Pipeline>();
      let bytes = 0;
      for (const revision of new Set(revisions)) {
        if (bytes >= MAX_ANSWER_BYTES) break;
        const sized = kept.get(revision) ?? (await read(connection, revision));
        keep(revision, sized);
        answer.set(revision, sized.definition);
        bytes += sized.bytes;
      }
      return answer;
    },
  };
}

async function read(connection: CommonQueryMethods, revision: number): Promise<Sized> {
  const found = await connection.maybeOne(rows<Sized>()`
    SELECT definition, octet_length(definition::text) AS bytes FROM revisions WHERE id = ${revision}`);
  if (found === null) throw new Error(`Revision ${revision} is not in the database.`);
  return found;
}
