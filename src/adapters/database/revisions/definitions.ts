import { sql, type CommonQueryMethods, type FragmentSqlToken } from 'slonik';
import { rows, textArray } from '#adapters/database/connection/pool.ts';
import type { Job, Pipeline } from '#domain/pipeline/pipeline.ts';

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
  /**
   * Returns parts up to the same limit as `of`. The part at an index is the wanted one at that index. A part
   * has no jobs if the definition does not have its job.
   */
  parts(connection: CommonQueryMethods, wanted: readonly DefinitionPart[]): Promise<Pipeline[]>;
  part(connection: CommonQueryMethods, wanted: DefinitionPart): Promise<Pipeline>;
}

/** A definition, or a piece of one: everything but its jobs, or only one job. */
interface SizedDefinition {
  definition: Pipeline;
  /** Bytes of its JSON. */
  bytes: number;
}

export function cachedDefinitions(maxBytes = MAX_CACHED_BYTES): Definitions {
  const cache = new DefinitionCache(maxBytes);
  return {
    async of(connection, revisions) {
      const answer = new Map<number, Pipeline>();
      let bytes = 0;
      for (const revision of new Set(revisions)) {
        if (bytes >= MAX_ANSWER_BYTES) break;
        const sized = await cache.find(String(revision), () => readDefinition(connection, revision));
        answer.set(revision, sized.definition);
        bytes += sized.bytes;
      }
      return answer;
    },
    async parts(connection, wanted) {
      const reader = new PartReader(connection, cache, wanted);
      const answer: Pipeline[] = [];
      for (const part of wanted) {
        if (reader.bytes >= MAX_ANSWER_BYTES) break;
        answer.push(await reader.read(part));
      }
      return answer;
    },
    part: async (connection, wanted) => await new PartReader(connection, cache, [wanted]).read(wanted),
  };
}

/** Stores the definitions and parts that were used last. */
class DefinitionCache {
  readonly #maxBytes: number;
  readonly #sized = new Map<string, SizedDefinition>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  async find(key: string, read: () => Promise<SizedDefinition>): Promise<SizedDefinition> {
    const sized = this.get(key) ?? (await read());
    this.add(key, sized);
    return sized;
  }

  get(key: string): SizedDefinition | undefined {
    const sized = this.#sized.get(key);
    if (sized !== undefined) this.add(key, sized);
    return sized;
  }

  /** Adds a definition, and removes the least recently used definitions beyond the limit. */
  add(key: string, sized: SizedDefinition): void {
    this.#drop(key);
    this.#sized.set(key, sized);
    this.#bytes += sized.bytes;
    for (const oldest of this.#sized.keys()) {
      if (this.#bytes <= this.#maxBytes || oldest === key) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    this.#bytes -= this.#sized.get(key)?.bytes ?? 0;
    this.#sized.delete(key);
  }
}

/** Reads the parts of one answer. Of each revision, reads all wanted jobs at once. */
class PartReader {
  readonly #connection: CommonQueryMethods;
  readonly #cache: DefinitionCache;
  readonly #wanted: readonly DefinitionPart[];
  /** Pieces that this reader has read. The cache may have dropped them. */
  readonly #read = new Map<string, SizedDefinition>();
  /** Pieces of the parts that were returned. */
  readonly #returned = new Set<SizedDefinition>();

  constructor(connection: CommonQueryMethods, cache: DefinitionCache, wanted: readonly DefinitionPart[]) {
    this.#connection = connection;
    this.#cache = cache;
    this.#wanted = wanted;
  }

  /** Bytes of the parts that were returned. Pieces that several parts share count once. */
  get bytes(): number {
    return [...this.#returned].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  async read({ revision, job }: DefinitionPart): Promise<Pipeline> {
    const rest = await this.#readRest(revision);
    this.#returned.add(rest);
    if (job === undefined) return rest.definition;
    const key = partKey({ revision, job });
    if (this.#find(key) === undefined) await this.#readJobs(revision);
    const found = this.#find(key);
    if (found === undefined) return rest.definition;
    this.#returned.add(found);
    return { ...rest.definition, jobs: found.definition.jobs };
  }

  async #readRest(revision: number): Promise<SizedDefinition> {
    const key = partKey({ revision });
    const rest = this.#find(key) ?? (await readWithoutJobs(this.#connection, revision));
    this.#add(key, rest);
    return rest;
  }

  async #readJobs(revision: number): Promise<void> {
    const names = this.#wanted.flatMap((part) => (part.revision === revision ? (part.job ?? []) : []));
    const missing = names.filter((job) => this.#find(partKey({ revision, job })) === undefined);
    for (const { job, bytes } of await readJobs(this.#connection, revision, missing))
      this.#add(partKey({ revision, job: job.name }), {
        definition: { resourceTypes: [], resources: [], jobs: [job] },
        bytes,
      });
  }

  #find(key: string): SizedDefinition | undefined {
    return this.#read.get(key) ?? this.#cache.get(key);
  }

  #add(key: string, sized: SizedDefinition): void {
    this.#read.set(key, sized);
    this.#cache.add(key, sized);
  }
}

/**
 * The cache key of a piece. It differs from the key of a whole definition, which is the revision id alone.
 */
const partKey = ({ revision, job = null }: { revision: number; job?: string | null }): string =>
  JSON.stringify([revision, job]);

async function readDefinition(connection: CommonQueryMethods, revision: number): Promise<SizedDefinition> {
  return await readSized(connection, revision, sql.fragment`definition`);
}

async function readWithoutJobs(connection: CommonQueryMethods, revision: number): Promise<SizedDefinition> {
  return await readSized(connection, revision, sql.fragment`jsonb_set(definition, '{jobs}', '[]')`);
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

/** Postgres takes the jobs out of the definition, which is faster than sending and parsing all of it. */
async function readJobs(
  connection: CommonQueryMethods,
  revision: number,
  names: readonly string[],
): Promise<{ job: Job; bytes: number }[]> {
  const found = await connection.any(rows<{ json: string }>()`
    SELECT job::text AS json FROM revisions v CROSS JOIN LATERAL jsonb_array_elements(v.definition -> 'jobs') AS job
    WHERE v.id = ${revision} AND job ->> 'name' = ANY(${textArray(names)})`);
  return found.map(({ json }) => ({ job: JSON.parse(json), bytes: Buffer.byteLength(json) }));
}
