import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { CommonQueryMethods } from 'slonik';
import { rows } from '#adapters/database/connection/pool.ts';
import { job, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { cachedDefinitions, type DefinitionPart } from './definitions.ts';

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
  const [first] = samplePipeline().jobs;
  const long = { ...first, name: 'unit', steps: [], description: 'x'.repeat(bytes) };
  await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [long] }), { pipeline }));
  return await stores.pool.oneFirst(rows<{ id: number }>()`SELECT max(id) AS id FROM revisions`);
}

type Cache = ReturnType<typeof cachedDefinitions>;

/** How many of these revisions the cache reads from the database. */
async function readsFor(cache: Cache, ...revisions: number[]): Promise<number> {
  return await readsOf(async (connection) => await cache.of(connection, revisions));
}

/** How many queries `work` sends to the database. */
async function readsOf(work: (connection: CommonQueryMethods) => Promise<unknown>): Promise<number> {
  const before = reads;
  await stores.pool.connect(async (connection) => {
    const counting = {
      ...connection,
      maybeOne: async (...query: Parameters<typeof connection.maybeOne>) => {
        reads += 1;
        return await connection.maybeOne(...query);
      },
      any: async (...query: Parameters<typeof connection.any>) => {
        reads += 1;
        return await connection.any(...query);
      },
    };
    await work(counting);
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

test('a part of a definition has one job or none, and everything else', async () => {
  const definition = samplePipeline({ jobs: [job('unit'), job('lint'), job('a "quoted" name')] });
  await stores.pipelines.savePipeline(toSave(definition, { pipeline: 'parts' }));
  const revision = await stores.pool.oneFirst(rows<{ id: number }>()`SELECT max(id) AS id FROM revisions`);
  const whole = (await cachedDefinitions().of(stores.pool, [revision])).get(revision);
  expect(whole?.jobs).toHaveLength(3);
  const wanted = [{ revision, job: 'lint' }, { revision, job: 'a "quoted" name' }, { revision }];
  expect(await cachedDefinitions().parts(stores.pool, wanted)).toEqual([
    { ...whole, jobs: [whole?.jobs[1]] },
    { ...whole, jobs: [whole?.jobs[2]] },
    { ...whole, jobs: [] },
  ]);
  expect(await cachedDefinitions().part(stores.pool, { revision, job: 'gone' })).toEqual({
    ...whole,
    jobs: [],
  });
});

test('parts are cached, each on its own', async () => {
  const revision = await saveRevision('cached-parts', 10);
  const cache = cachedDefinitions();
  const readsOfParts = async (...wanted: DefinitionPart[]) =>
    await readsOf(async (connection) => await cache.parts(connection, wanted));
  expect(await readsOfParts({ revision, job: 'unit' }, { revision })).toBe(2);
  expect(await readsOfParts({ revision }, { revision, job: 'unit' })).toBe(0);
  expect(await readsOfParts({ revision, job: 'gone' }, { revision, job: 'gone' })).toBe(2);
  expect(await readsOf(async (connection) => await cache.part(connection, { revision }))).toBe(0);
  expect(await readsFor(cache, revision)).toBe(1);
});

test('all wanted jobs of a revision are read at once', async () => {
  const jobs = Array.from({ length: 20 }, (_, index) => job(`j${index}`));
  await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs }), { pipeline: 'many-jobs' }));
  const revision = await stores.pool.oneFirst(rows<{ id: number }>()`SELECT max(id) AS id FROM revisions`);
  const wanted = jobs.map(({ name }) => ({ revision, job: name }));
  const read = async (connection: CommonQueryMethods) => {
    const parts = await cachedDefinitions().parts(connection, wanted);
    expect(parts.map((part) => part.jobs.map(({ name }) => name))).toEqual(jobs.map(({ name }) => [name]));
  };
  expect(await readsOf(read)).toBe(2);
});

test('a part that is wanted several times counts once for the size limit', async () => {
  const part = { revision: await saveRevision('large-part', 3 * MEBIBYTE), job: 'unit' };
  const wanted = Array.from({ length: 50 }, () => part);
  expect(await cachedDefinitions().parts(stores.pool, wanted)).toHaveLength(50);
});

test('a cache that is too small for the parts still returns them', async () => {
  const jobs = Array.from({ length: 5 }, (_, index) => job(`j${index}`));
  await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs }), { pipeline: 'small-cache' }));
  const revision = await stores.pool.oneFirst(rows<{ id: number }>()`SELECT max(id) AS id FROM revisions`);
  const wanted = jobs.map(({ name }) => ({ revision, job: name }));
  const parts = await cachedDefinitions(10).parts(stores.pool, wanted);
  expect(parts.map((part) => part.jobs.length)).toEqual([1, 1, 1, 1, 1]);
});

test('one answer has parts up to a size limit, in the requested order', async () => {
  const wanted: DefinitionPart[] = [];
  for (const name of ['h', 'i', 'j', 'k', 'l', 'm', 'n'])
    wanted.push({ revision: await saveRevision(name, 3 * MEBIBYTE), job: 'unit' });
  expect(await cachedDefinitions().parts(stores.pool, wanted)).toHaveLength(6);
});

test('a revision that does not exist is an error', async () => {
  const cache = cachedDefinitions();
  await expect(cache.of(stores.pool, [999_999])).rejects.toThrow('not in the database');
  await expect(cache.part(stores.pool, { revision: 999_999 })).rejects.toThrow('not in the database');
});
