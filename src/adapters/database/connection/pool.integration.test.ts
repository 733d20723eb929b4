import { createConnection, createServer, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import { makeDatabase, type TestDatabase } from '#testing/postgres/test-database.ts';
import { openPool, rows } from './pool.ts';

let database: TestDatabase;
let line: Line;
let pools: DatabasePool[];

beforeEach(async () => {
  database = await makeDatabase();
  line = await openLine(database.url);
  pools = [];
});
afterEach(async () => {
  await line.close();
  await Promise.all(pools.map((pool) => pool.end()));
  await database.drop();
});

interface Line {
  url: string;
  /** Open connections break, and new ones are refused. */
  break(): void;
  /** What is open stays open and carries nothing; what is opened from now on works. */
  silence(): void;
  mend(): void;
  close(): Promise<void>;
}

/** A way to the database that may go. */
async function openLine(to: string): Promise<Line> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let broken = false;
  const server = createServer((near) => {
    if (broken) {
      near.destroy();
      return;
    }
    const far = createConnection(Number(target.port), target.hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => other.destroy());
    }
    near.pipe(far).pipe(near);
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
  const pool = await openPool(line.url, options);
  pools.push(pool);
  return pool;
}

/** What a gateway answers with 503. */
const AWAY = { name: 'DatabaseUnavailable', code: '08006' };

const one = (pool: DatabasePool): Promise<number> =>
  pool.oneFirst(rows<{ one: number }>()`SELECT 1::int8 AS one`);
/** As soon as an answer comes within its time, for which the machine may be too slow. */
async function oneAtLast(pool: DatabasePool): Promise<number> {
  for (;;) {
    try {
      return await one(pool);
    } catch (error) {
      expect(error).toMatchObject(AWAY);
    }
  }
}

const nap = (pool: DatabasePool, seconds: number): Promise<unknown> =>
  pool.query(rows()`SELECT pg_sleep(${seconds})`);
const running = async (pool: DatabasePool): Promise<number> =>
  await pool.oneFirst(rows<{ count: number }>()`
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'`);

describe('the pool', () => {
  test('the pool answers all queries, however few connections it has', async () => {
    const pool = await open({ maximumConnections: 2 });
    const answers = await Promise.all(Array.from({ length: 40 }, () => one(pool)));
    expect(answers).toEqual(Array.from({ length: 40 }, () => 1));
  });

  test('the pool opens no more connections than its limit', async () => {
    const pool = await open({ maximumConnections: 3 });
    const naps = Array.from({ length: 12 }, () => nap(pool, 0.05));
    await Promise.all([...naps, ...Array.from({ length: 12 }, () => one(pool))]);
    const { acquiredConnections, idleConnections, pendingConnections } = pool.state();
    expect(acquiredConnections + idleConnections + pendingConnections).toBeLessThanOrEqual(3);
  });

  test('every query that waits gets an error when the database goes', async () => {
    const pool = await open({ maximumConnections: 2 });
    const asked = Array.from({ length: 12 }, () => nap(pool, 600));
    const watching = await open({});
    while ((await running(watching)) < 2) await nap(watching, 0.01);
    line.break();
    const ends = await Promise.allSettled(asked);
    for (const end of ends) expect(end).toMatchObject({ status: 'rejected', reason: AWAY });
    line.mend();
    expect(await oneAtLast(pool)).toBe(1);
  });

  test('the pool drops a connection that fell silent and works with others', async () => {
    const pool = await open({ maximumConnections: 2, queryTimeoutMilliseconds: 300 });
    await oneAtLast(pool);
    line.silence();
    await expect(one(pool)).rejects.toMatchObject(AWAY);
    expect(await oneAtLast(pool)).toBe(1);
  });

  test('the pool ends a transaction whose connection fell silent', async () => {
    const pool = await open({ maximumConnections: 1, queryTimeoutMilliseconds: 300 });
    const work = pool.transaction(async (transaction) => {
      await transaction.query(rows()`SELECT 1`);
      line.silence();
      await transaction.query(rows()`SELECT 1`);
    });
    await expect(work).rejects.toMatchObject(AWAY);
    expect(await oneAtLast(pool)).toBe(1);
  });

  test('a query that waits too long for a connection gets an error', async () => {
    const pool = await open({ maximumConnections: 1, queueTimeoutMilliseconds: 50 });
    const busy = nap(pool, 600).catch(() => 'woken');
    await expect(one(pool)).rejects.toThrow('all 1 connections were in use for 0.05 s');
    const watching = await open({});
    while ((await running(watching)) < 1) await nap(watching, 0.01);
    await watching.query(rows()`
      SELECT pg_cancel_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%' AND state = 'active'`);
    expect(await busy).toBe('woken');
    expect(await one(pool)).toBe(1);
  });
});
