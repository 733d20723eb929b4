import { createConnection, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import { makeDatabase, type TestDatabase } from '#testing/postgres/test-database.ts';
import { openPool, rows } from './pool.ts';

let database: TestDatabase;
let proxy: DatabaseProxy;
let pools: DatabasePool[];

beforeEach(async () => {
  database = await makeDatabase();
  proxy = await openProxy(database.url);
  pools = [];
});
afterEach(async () => {
  await proxy.close();
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

interface DatabaseProxy {
  url: string;
  /** Open connections break, and new ones are refused. */
  break(): void;
  /** Open connections stay open and carry nothing. New connections work. */
  silence(): void;
  mend(): void;
  close(): Promise<void>;
}

/** A proxy to the database whose connections can break or fall silent. */
async function openProxy(to: string): Promise<DatabaseProxy> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let broken = false;
  const server = createServer((clientSocket) => {
    if (broken) {
      clientSocket.destroy();
      return;
    }
    const databaseSocket = createConnection(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [clientSocket, databaseSocket],
      [databaseSocket, clientSocket],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
    }
    clientSocket.pipe(databaseSocket).pipe(clientSocket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(to);
  url.port = String(typeof address === 'object' ? address?.port : '');
  const destroyAll = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    url: url.href,
    break: () => {
      broken = true;
      destroyAll();
    },
    silence: () => sockets.forEach((socket) => socket.unpipe().pause()),
    mend: () => {
      broken = false;
    },
    async close() {
      destroyAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function open(options: Parameters<typeof openPool>[1]): Promise<DatabasePool> {
  const pool = await openPool(proxy.url, options);
  pools.push(pool);
  return pool;
}

/** The error that a gateway answers with status 503. */
const UNAVAILABLE = { name: 'DatabaseUnavailable', code: '08006' };

const selectOne = (pool: DatabasePool): Promise<number> =>
  pool.oneFirst(rows<{ one: number }>()`SELECT 1::int8 AS one`);
/** Repeats the query until an answer comes in time: at first, the machine may be too slow for the timeout. */
async function repeatSelectOne(pool: DatabasePool): Promise<number> {
  for (;;) {
    try {
      return await selectOne(pool);
    } catch (error) {
      expect(error).toMatchObject(UNAVAILABLE);
    }
  }
}

const sleepInDatabase = (pool: DatabasePool, seconds: number): Promise<unknown> =>
  pool.query(rows()`SELECT pg_sleep(${seconds})`);
const countSleeping = async (pool: DatabasePool): Promise<number> =>
  await pool.oneFirst(rows<{ count: number }>()`
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'`);

describe('the pool', () => {
  test('the pool answers all queries, however few connections it has', async () => {
    const pool = await open({ maximumConnections: 2 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => selectOne(pool)));
    expect(answers).toEqual(Array.from({ length: 40 }, () => 1));
  });

  test('the pool opens no more connections than its limit', async () => {
    const pool = await open({ maximumConnections: 3 });
    const sleeps = Array.from({ length: 12 }, () => sleepInDatabase(pool, 0.05));
    await Promise.all([...sleeps, ...Array.from({ length: 12 }, () => selectOne(pool))]);
    const { acquiredConnections, idleConnections, pendingConnections } = pool.state();
    expect(acquiredConnections + idleConnections + pendingConnections).toBeLessThanOrEqual(3);
  });

  test('every query that waits gets an error when the database goes away', async () => {
    const pool = await open({ maximumConnections: 2 });
    const queries = Array.from({ length: 12 }, () => sleepInDatabase(pool, 600));
    const observer = await open({});
    while ((await countSleeping(observer)) < 2) await sleepInDatabase(observer, 0.01);
    proxy.break();
    const ends = await Promise.allSettled(queries);
    for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: UNAVAILABLE });
    proxy.mend();
    expect(await repeatSelectOne(pool)).toBe(1);
  });

  test('the pool drops a connection that fell silent and works with others', async () => {
    const pool = await open({ maximumConnections: 2, queryTimeoutMilliseconds: 300 });
    await repeatSelectOne(pool);
    proxy.silence();
    await expect(selectOne(pool)).rejects.toMatchObject(UNAVAILABLE);
    expect(await repeatSelectOne(pool)).toBe(1);
  });

  test('the pool ends a transaction whose connection fell silent', async () => {
    const pool = await open({ maximumConnections: 1, queryTimeoutMilliseconds: 300 });
    const work = pool.transaction(async (transaction) => {
      await transaction.query(rows()`SELECT 1`);
      proxy.silence();
      await transaction.query(rows()`SELECT 1`);
    });
    await expect(work).rejects.toMatchObject(UNAVAILABLE);
    expect(await repeatSelectOne(pool)).toBe(1);
  });

  test('a query that waits too long for a connection gets an error', async () => {
    const pool = await open({ maximumConnections: 1, queueTimeoutMilliseconds: 50 });
    const busy = sleepInDatabase(pool, 600).catch(() => 'woken');
    await expect(selectOne(pool)).rejects.toThrow('all 1 connections were in use for 0.05 s');
    const observer = await open({});
    while ((await countSleeping(observer)) < 1) await sleepInDatabase(observer, 0.01);
    await observer.query(rows()`
      SELECT pg_cancel_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%' AND state = 'active'`);
    expect(await busy).toBe('woken');
    expect(await selectOne(pool)).toBe(1);
  });
});
