import { createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import { makeDatabase, type TestDatabase } from '#testing/test-database.ts';
import { openBell, type ClosableBell } from './notifications.ts';
import { openPool, rows } from './pool.ts';

let database: TestDatabase;
let pool: DatabasePool;
let bells: ClosableBell[];

beforeEach(async () => {
  database = await makeDatabase();
  pool = await openPool(database.url);
  bells = [];
});
afterEach(async () => {
  await Promise.all(bells.map((bell) => bell.close()));
  await pool.end();
  await database.drop();
});

function open(url = database.url): ClosableBell {
  const bell = openBell({ url, pool, retryMilliseconds: 20 });
  bells.push(bell);
  return bell;
}

/** What a listener hears, and a way to wait for it. */
function ears() {
  const heard: string[] = [];
  const waiting: { text: string; resolve: () => void }[] = [];
  return {
    heard,
    hear: (topic: string, id: number): void => {
      heard.push(`${topic} ${id}`);
      for (const { text, resolve } of waiting) if (heard.includes(text)) resolve();
    },
    until: async (text: string): Promise<void> =>
      await new Promise((resolve) => {
        if (heard.includes(text)) resolve();
        waiting.push({ text, resolve });
      }),
  };
}

/** A way to the database that can fall silent: what is open then stays open and carries nothing. */
async function openLine(
  to: string,
  freezesAt = '',
): Promise<{ url: string; freeze(): void; close(): Promise<void> }> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let frozen = freezesAt === '';
  const server = createServer((near) => {
    const far = createConnection(Number(target.port), target.hostname);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    sockets.add(near);
    near.on('data', (bytes) => {
      if (frozen || !bytes.includes(freezesAt)) return;
      frozen = true;
      near.unpipe().pause();
      far.unpipe().pause();
    });
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = new URL(to);
  url.port = String(typeof address === 'object' ? address?.port : '');
  return {
    url: url.href,
    freeze: () => sockets.forEach((socket) => socket.unpipe().pause()),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const listeners = async (): Promise<number> =>
  await pool.oneFirst(rows<{ count: number }>()`
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`);

/** A bell with so short a heartbeat may take a slow line for a silent one, and miss what is rung meanwhile. */
async function ringUntilHeard(bell: ClosableBell, heard: readonly string[]): Promise<void> {
  while (!heard.includes('schedule 9')) {
    bell.ring('schedule', 9);
    await sleep(20);
  }
}

describe('the bell', () => {
  test('is heard in other processes, by those who listen for the topic', async () => {
    const { heard, hear, until } = ears();
    open().listen(['schedule', 'cancel'], hear);
    await until('cancel 0');
    heard.length = 0;
    const other = open();
    other.ring('builds', 3);
    other.ring('schedule', 7);
    await until('schedule 7');
    expect(heard).toEqual(['schedule 7']);
  });

  test('first tells everybody to look, since nobody knows what was missed', async () => {
    const { heard, hear, until } = ears();
    open().listen(['checks', 'builds'], hear);
    await until('builds 0');
    expect(heard).toEqual(['checks 0', 'builds 0']);
  });

  test('gathers what is rung at the same moment', async () => {
    const { heard, hear, until } = ears();
    const bell = open();
    bell.listen(['status'], hear);
    await until('status 0');
    for (let count = 0; count < 100; count += 1) bell.ring('status', 5);
    bell.ring('status', 6);
    await until('status 6');
    expect(heard).toEqual(['status 0', 'status 5', 'status 6']);
  });

  test('is heard again after the connection was cut, and tells to look', async () => {
    const { heard, hear, until } = ears();
    const bell = open();
    bell.listen(['schedule'], hear);
    await until('schedule 0');
    heard.length = 0;
    await pool.query(rows()`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN%'`);
    await until('schedule 0');
    bell.ring('schedule', 8);
    await until('schedule 8');
    // The server may take a moment to forget the one that it ended.
    while ((await listeners()) !== 1) await sleep(20);
  });

  test('is heard again after the line fell silent without a word', async () => {
    const line = await openLine(database.url);
    const { heard, hear, until } = ears();
    const bell = openBell({ url: line.url, pool, retryMilliseconds: 20, heartbeatMilliseconds: 200 });
    bells.push(bell);
    bell.listen(['schedule'], hear);
    await until('schedule 0');
    heard.length = 0;
    line.freeze();
    await until('schedule 0');
    await ringUntilHeard(bell, heard);
    await bell.close();
    await line.close();
  });

  test('is heard although the line first fell silent before it listened', async () => {
    const line = await openLine(database.url, 'LISTEN');
    const { heard, hear, until } = ears();
    const bell = openBell({ url: line.url, pool, retryMilliseconds: 20, heartbeatMilliseconds: 200 });
    bells.push(bell);
    bell.listen(['schedule'], hear);
    await until('schedule 0');
    await ringUntilHeard(bell, heard);
    await bell.close();
    await line.close();
  });

  test('never fails the one who rings', async () => {
    const errors: Error[] = [];
    const ended = await openPool(database.url);
    await ended.end();
    const bell = openBell({ url: database.url, pool: ended, onError: (error) => void errors.push(error) });
    bell.ring('builds', 1);
    await bell.close();
    expect(errors).toHaveLength(1);
  });

  test('goes on when one listener throws', async () => {
    const { hear, until } = ears();
    const bell = open();
    bell.listen(['checks'], () => {
      throw new Error('of the test');
    });
    bell.listen(['checks'], hear);
    await until('checks 0');
    bell.ring('checks', 4);
    await until('checks 4');
  });

  test('tells no more to whoever stopped listening', async () => {
    const { heard, hear, until } = ears();
    const { hear: hearToo, until: untilToo } = ears();
    const bell = open();
    const stop = bell.listen(['checks'], hear);
    bell.listen(['checks'], hearToo);
    await until('checks 0');
    stop();
    bell.ring('checks', 4);
    await untilToo('checks 4');
    expect(heard).toEqual(['checks 0']);
  });
});
