import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { cachedDefinitions } from './definitions.ts';

const MEBIBYTE = 1024 * 1024;
let stores: TestStores;
let reads = 0;

beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
});
afterAll(async () => await stores.close());

/** Saves a definition of about this size. Returns the row id of its revision. */
async function saveRevision(pipeline: string, bytes: number): Promise<number> {
  const [job] = samplePipeline().jobs;
  const long = { ...job, name: 'unit', steps: [], description: 'x'.repeat(bytes) };
  await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [long] }), { pipeline }));
  return await stores.pool.oneFirst(rows<{ id: number }>()`SELECT max(id) AS id FROM revisions`);
}

/** How many of these revisions the cache reads from the database. */
async function readsFor(
  cache: ReturnType<typeof cachedDefinitions>,
  ...revisions: number[]
): Promise<number> {
  const before = reads;
  await stores.pool.connect(async (connection) => {
    const counting = {
      ...connection,
      maybeOne: async (...query: Parameters<typeof connection.maybeOne>) => {
        reads += 1;
        return await connection.maybeOne(...query);
      },
    };
    await cache.of(counting, revisions);
  });
  return reads - before;
}

test('definitions are cached up to a limit in bytes; the last one is cached even if it is larger', async () => {
  const [small, other, large] = [
    await saveRevision('small', 1000),
    await saveRevision('other', 1000),
    await saveRevision('large', 3 * MEBIBYTE),
  ];
  const cache = cachedDefinitions(MEBIBYTE);
  expect(await readsFor(cache, small, other)).toBe(2);
  expect(await readsFor(cache, other, small)).toBe(0);
  expect(await readsFor(cache, large)).toBe(1);
  expect(await readsFor(cache, large)).toBe(0);
  expect(await readsFor(cache, small)).toBe(1);
  expect(await readsFor(cache, large)).toBe(1);
});

test('one answer has definitions up to a size limit, in the requested order', async () => {
  const revisions: number[] = [];
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g'])
    revisions.push(await saveRevision(name, 3 * MEBIBYTE));
  const answer = await cachedDefinitions().of(stores.pool, revisions);
  expect([...answer.keys()]).toEqual(revisions.slice(0, 6));
  expect((await cachedDefinitions().of(stores.pool, revisions.slice(6))).size).toBe(1);
});

test('a revision that does not exist is an error', async () => {
  await expect(cachedDefinitions().of(stores.pool, [999_999])).rejects.toThrow('not in the database');
});
