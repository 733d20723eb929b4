import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { sql, type DatabasePool } from 'slonik';
import { dumpSchema } from '#testing/postgres/dump-schema.ts';
import { makeDatabase, type TestDatabase } from '#testing/postgres/test-database.ts';
import { openPool, rows } from './connection/pool.ts';
import { createLogPartitions, migrate, preferIndexes } from './migrate.ts';

let database: TestDatabase;
let pool: DatabasePool;

beforeAll(async () => {
  database = await makeDatabase();
  pool = await openPool(database.url);
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const MIGRATIONS = readdirSync(new URL('migrations', import.meta.url))
  .map((file) => file.replace(/\.sql$/, ''))
  .toSorted();

test('schema.sql equals what the migrations create (`node tools/schema/main.ts` writes it)', async () => {
  const saved = await readFile(new URL('./schema.sql', import.meta.url), 'utf8');
  expect(await dumpSchema(pool)).toBe(saved);
});

test('a migrated database is not migrated again', async () => {
  expect(await migrate(database.url)).toEqual([]);
});

test('one of several concurrent processes migrates and the others wait', async () => {
  const empty = await makeDatabase();
  try {
    const client = new Client({ connectionString: empty.url });
    await client.connect();
    await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    await client.end();
    const done = await Promise.all([1, 2, 3].map(() => migrate(empty.url)));
    expect(done.flat()).toEqual(MIGRATIONS);
  } finally {
    await empty.drop();
  }
});

/** The planner's settings in a new connection. */
async function settings(url: string): Promise<unknown> {
  const single = await openPool(url, { maximumConnections: 1 });
  const found = await single.one(rows()`
    SELECT current_setting('enable_seqscan') AS seqscan, current_setting('jit') AS jit`);
  await single.end();
  return found;
}

test('plans of later connections use indexes, also in a copy of a migrated database', async () => {
  const copy = await makeDatabase();
  const { pathname } = new URL(copy.url);
  await pool.query(rows()`ALTER DATABASE ${sql.identifier([pathname.slice(1)])} RESET ALL`);
  expect(await settings(copy.url)).toMatchObject({ seqscan: 'on' });
  const messages: string[] = [];
  const log = (message: string): number => messages.push(message);
  await Promise.all([1, 2, 3].map(() => migrate(copy.url, { log })));
  expect(messages).toEqual([]);
  expect(await settings(copy.url)).toEqual({ seqscan: 'off', jit: 'off' });
  await copy.drop();
});

test('a user that does not own the database is told what its settings are for', async () => {
  await pool.query(rows()`CREATE ROLE renter LOGIN PASSWORD 'rents'`);
  const url = new URL(database.url);
  Object.assign(url, { username: 'renter', password: 'rents' });
  const client = new Client({ connectionString: url.href });
  await client.connect();
  const messages: string[] = [];
  await preferIndexes(client, (message) => messages.push(message));
  await client.end();
  expect(messages).toEqual([
    'Cannot set enable_seqscan and jit of the database: ' +
      `must be owner of database ${url.pathname.slice(1)}. Bursts of builds may be slow. ` +
      'Let the user of Millrace own the database, or set both to off with ALTER DATABASE.',
  ]);
  await pool.query(rows()`DROP ROLE renter`);
});

test('tables for logs are created for this month and three more, once', async () => {
  const created = await createLogPartitions(pool, new Date('2031-11-30T12:00:00Z'));
  expect(created).toEqual([
    'build_logs_2031_11',
    'build_logs_2031_12',
    'build_logs_2032_01',
    'build_logs_2032_02',
  ]);
  expect(await createLogPartitions(pool, new Date('2031-12-01T00:00:00Z'))).toEqual(['build_logs_2032_03']);
});

test('operators that start at the same time create the tables for logs together', async () => {
  const created = await Promise.all(
    Array.from({ length: 6 }, async () => await createLogPartitions(pool, new Date('2031-05-15T00:00:00Z'))),
  );
  expect(created.flat().toSorted()).toEqual(
    ['05', '06', '07', '08'].map((month) => `build_logs_2031_${month}`),
  );
});

test('connections are released without a query to reset them', async () => {
  const single = await openPool(database.url, { maximumConnections: 1 });
  await single.query(rows()`SELECT set_config('application_name', 'marked', false)`);
  const name = await single.oneFirst(
    rows<{ name: string }>()`SELECT current_setting('application_name') AS name`,
  );
  await single.end();
  expect(name).toBe('marked');
});
