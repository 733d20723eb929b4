import type { CommonQueryMethods } from 'slonik';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { ids, rows } from './pool.ts';

const MOST_KEPT = 200;

/** Definitions by revision: they never change, so a few are kept in memory and the hot queries need not carry them. */
export interface Definitions {
  of(connection: CommonQueryMethods, revisions: number[]): Promise<Map<number, Pipeline>>;
}

export function definitions(): Definitions {
  const kept = new Map<number, Pipeline>();
  return {
    async of(connection, revisions) {
      const missing = [...new Set(revisions)].filter((revision) => !kept.has(revision));
      const fetched = missing.length === 0 ? [] : await read(connection, missing);
      const answer = new Map<number, Pipeline>();
      for (const { id, definition } of fetched) kept.set(id, definition);
      for (const revision of revisions) {
        const definition = kept.get(revision);
        if (definition === undefined) throw new Error(`Revision ${revision} is not in the database.`);
        answer.set(revision, definition);
        // Used last, dropped last.
        kept.delete(revision);
        kept.set(revision, definition);
      }
      for (const oldest of kept.keys()) {
        if (kept.size <= MOST_KEPT) break;
        kept.delete(oldest);
      }
      return answer;
    },
  };
}

async function read(connection: CommonQueryMethods, revisions: number[]) {
  return await connection.any(rows<{ id: number; definition: Pipeline }>()`
    SELECT id, definition FROM revisions WHERE id = ANY(${ids(revisions)})`);
}
