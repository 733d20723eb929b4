import { sql, type CommonQueryMethods, type FragmentSqlToken } from 'slonik';
import { rows } from '#adapters/database/connection/pool.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';

/**
 * Limit of the cached definitions together, in bytes of JSON. The last used definition stays cached even if
 * it is larger.
 */
export const MAX_CACHED_BYTES = 32 * 1024 * 1024;
/** Once the definitions of one answer have this many bytes of JSON together, the answer is complete. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** A part of a definition. Large pipelines have large definitions, of which a build uses little. */
export interface DefinitionPart {
  revision: number;
  /** The only job of the part. Absent: the part has no jobs, as checks need none. */
  job?: string;
}

/**
 * Definitions by revision id. A definition never changes, so definitions and parts that were used last are
 * cached. All methods throw if a revision does not exist.
 */
export interface Definitions {
  /**
   * Returns definitions in the given order until their size reaches a limit, but at least the first. Call it
   * again for the others.
   */
  of(connection: CommonQueryMethods, revisions: readonly number[]): Promise<Map<number, Pipeline>>;
  /** Returns parts up to the same limit as `of`. The part at an index is the wanted one at that index. */
  parts(connection: CommonQueryMethods, wanted: readonly DefinitionPart[]): Promise<Pipeline[]>;
  part(connection: CommonQueryMethods, wanted: DefinitionPart): Promise<Pipeline>;
}

interface SizedDefinition {
  definition: Pipeline;
  bytes: number;
}

export function cachedDefinitions(maxBytes = MAX_CACHED_BYTES): Definitions {
  const cache = new Map<string, SizedDefinition>();
  let cachedBytes = 0;
  const drop = (key: string): void => {
    cachedBytes -= cache.get(key)?.bytes ?? 0;
    cache.delete(key);
  };
  /** Adds a definition, and removes the least recently used definitions beyond the limit. */
  const add = (key: string, sized: SizedDefinition): void => {
    drop(key);
    cache.set(key, sized);
    cachedBytes += sized.bytes;
    for (const oldest of cache.keys()) {
      if (cachedBytes <= maxBytes || oldest === key) break;
      drop(oldest);
    }
  };
  const cached = async (key: string, read: () => Promise<SizedDefinition>): Promise<SizedDefinition> => {
    const sized = cache.get(key) ?? (await read());
    add(key, sized);
    return sized;
  };
  const partOf = async (connection: CommonQueryMethods, wanted: DefinitionPart): Promise<SizedDefinition> =>
    await cached(JSON.stringify([wanted.revision, wanted.job]), () => readPart(connection, wanted));
  return {
    async of(connection, revisions) {
      const answer = new Map<number, Pipeline>();
      let bytes = 0;
      for (const revision of new Set(revisions)) {
        if (bytes >= MAX_ANSWER_BYTES) break;
        const sized = await cached(String(revision), () => readDefinition(connection, revision));
        answer.set(revision, sized.definition);
        bytes += sized.bytes;
      }
      return answer;
    },
    async parts(connection, wanted) {
      const answer: Pipeline[] = [];
      let bytes = 0;
      for (const part of wanted) {
        if (bytes >= MAX_ANSWER_BYTES) break;
        const sized = await partOf(connection, part);
        answer.push(sized.definition);
        bytes += sized.bytes;
      }
      return answer;
    },
    part: async (connection, wanted) => (await partOf(connection, wanted)).definition,
  };
}

async function readDefinition(connection: CommonQueryMethods, revision: number): Promise<SizedDefinition> {
  return await readSized(connection, revision, sql.fragment`definition`);
}

/** Postgres takes the job out of the definition, which is faster than to read the definition as text. */
async function readPart(
  connection: CommonQueryMethods,
  { revision, job }: DefinitionPart,
): Promise<SizedDefinition> {
  const jobs =
    job === undefined
      ? sql.fragment`'[]'`
      : sql.fragment`jsonb_path_query_array(definition, '$.jobs[*] ? (@.name == $name)',
          jsonb_build_object('name', ${job}::text))`;
  return await readSized(connection, revision, sql.fragment`jsonb_set(definition, '{jobs}', ${jobs})`);
}

async function readSized(
  connection: CommonQueryMethods,
  revision: number,
  json: FragmentSqlToken,
): Promise<SizedDefinition> {
  // Counts the bytes of the text here, because Postgres would convert the JSON to text a second time.
  const found = await connection.maybeOne(rows<{ json: string }>()`
    SELECT (${json})::text AS json FROM revisions WHERE id = ${revision}`);
  if (found === null) throw new Error(`Revision ${revision} is not in the database.`);
  return { definition: JSON.parse(found.json), bytes: Buffer.byteLength(found.json) };
}
