import { createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import type { MissedNotifications, ProcessNotification } from '#flows/notification-ports.ts';
import { describeNotification } from '#testing/flows/recorded-notifications.ts';
import { makeDatabase, type TestDatabase } from '#testing/postgres/test-database.ts';
import { openNotifications, type ClosableNotifications } from './notifications.ts';
import { openPool, rows } from './pool.ts';

let database: TestDatabase;
let pool: DatabasePool;
let opened: ClosableNotifications[];

beforeEach(async () => {
  database = await makeDatabase();
  pool = await openPool(database.url);
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((notifications) => notifications.close()));
  await pool.end();
  await database.drop();
});

function open(url = database.url): ClosableNotifications {
  const notifications = openNotifications({ url, pool, retryMilliseconds: 20 });
  opened.push(notifications);
  return notifications;
}

/** The notifications that a listener received, and a way to wait for them. */
function listener() {
  const heard: string[] = [];
  const waiting: { text: string; resolve: () => void }[] = [];
  return {
    heard,
    hear: (notification: ProcessNotification | MissedNotifications): void => {
      heard.push(describeNotification(notification));
      for (const { text, resolve } of waiting) if (heard.includes(text)) resolve();
    },
    until: async (text: string): Promise<void> =>
      await new Promise((resolve) => {
        if (heard.includes(text)) resolve();
        waiting.push({ text, resolve });
      }),
  };
}

/**
 * A proxy to the database. Its connections fall silent (they stay open and carry nothing) when `freeze` is
 * called, or when the client first sends the text `freezeOn`.
 */
async function openProxy(
  to: string,
  freezeOn?: string,
): Promise<{ url: string; freeze(): void; close(): Promise<void> }> {
  const target = new URL(to);
  const sockets = new Set<Socket>();
  let waitsForText = freezeOn !== undefined;
  const server = createServer((clientSocket) => {
    const databaseSocket = createConnection(Number(target.port), target.hostname);
    for (const socket of [clientSocket, databaseSocket]) socket.on('error', () => undefined);
    sockets.add(clientSocket);
    clientSocket.on('data', (bytes) => {
      if (!waitsForText || !bytes.includes(freezeOn ?? '')) return;
      waitsForText = false;
      clientSocket.unpipe().pause();
      databaseSocket.unpipe().pause();
    });
    clientSocket.pipe(databaseSocket).pipe(clientSocket);
    clientSocket.on('close', () => databaseSocket.destroy());
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

const countListeners = async (): Promise<number> =>
  await pool.oneFirst(rows<{ count: number }>()`
    SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'`);

/**
 * Repeats a notification until the listener hears it. These tests use a short heartbeat: a connection that is
 * only slow may be replaced as if it were silent, and notifications sent meanwhile are lost.
 */
async function notifyUntilHeard(
  notifications: ClosableNotifications,
  heard: readonly string[],
): Promise<void> {
  while (!heard.includes('schedule 9')) {
    notifications.notify({ topic: 'schedule', pipeline: 9 });
    await sleep(20);
  }
}

describe('notifications', () => {
  test('notifications reach listeners of their topic in other processes', async () => {
    const { heard, hear, until } = listener();
    open().listen(['schedule', 'cancel'], hear);
    await until('missed');
    heard.length = 0;
    const other = open();
    other.notify({ topic: 'builds' });
    other.notify({ topic: 'schedule', pipeline: 7 });
    await until('schedule 7');
    expect(heard).toEqual(['schedule 7']);
  });

  test('the first notification says that earlier ones were missed', async () => {
    const { heard, hear, until } = listener();
    open().listen(['checks', 'builds'], hear);
    await until('missed');
    expect(heard).toEqual(['missed']);
  });

  test('equal notifications that are queued together are sent once', async () => {
    const { heard, hear, until } = listener();
    const notifications = open();
    notifications.listen(['status'], hear);
    await until('missed');
    for (let count = 0; count < 100; count += 1) notifications.notify({ topic: 'status', pipeline: 5 });
    notifications.notify({ topic: 'status', pipeline: 6 });
    await until('status 6');
    expect(heard).toEqual(['missed', 'status 5', 'status 6']);
  });

  test('notifications arrive again after the connection was cut and say that some were missed', async () => {
    const { heard, hear, until } = listener();
    const notifications = open();
    notifications.listen(['schedule'], hear);
    await until('missed');
    heard.length = 0;
    await pool.query(rows()`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE 'LISTEN%'`);
    await until('missed');
    notifications.notify({ topic: 'schedule', pipeline: 8 });
    await until('schedule 8');
    // Postgres may still list the connection that it ended for a moment.
    while ((await countListeners()) !== 1) await sleep(20);
  });

  test('notifications arrive again after the connection fell silent', async () => {
    const proxy = await openProxy(database.url);
    const { heard, hear, until } = listener();
    const notifications = openNotifications({
      url: proxy.url,
      pool,
      retryMilliseconds: 20,
      heartbeatMilliseconds: 200,
    });
    opened.push(notifications);
    notifications.listen(['schedule'], hear);
    await until('missed');
    heard.length = 0;
    proxy.freeze();
    await until('missed');
    await notifyUntilHeard(notifications, heard);
    await notifications.close();
    await proxy.close();
  });

  test('notifications arrive even if the connection fell silent before LISTEN', async () => {
    const proxy = await openProxy(database.url, 'LISTEN');
    const { heard, hear, until } = listener();
    const notifications = openNotifications({
      url: proxy.url,
      pool,
      retryMilliseconds: 20,
      heartbeatMilliseconds: 200,
    });
    opened.push(notifications);
    notifications.listen(['schedule'], hear);
    await until('missed');
    await notifyUntilHeard(notifications, heard);
    await notifications.close();
    await proxy.close();
  });

  test('a notification that cannot be sent does not fail its sender', async () => {
    const errors: Error[] = [];
    const endedPool = await openPool(database.url);
    await endedPool.end();
    const notifications = openNotifications({
      url: database.url,
      pool: endedPool,
      onError: (error) => void errors.push(error),
    });
    notifications.notify({ topic: 'builds' });
    await notifications.close();
    expect(errors).toHaveLength(1);
  });

  test('notifications reach the other listeners when one throws', async () => {
    const { hear, until } = listener();
    const notifications = open();
    notifications.listen(['checks'], () => {
      throw new Error('of the test');
    });
    notifications.listen(['checks'], hear);
    await until('missed');
    notifications.notify({ topic: 'checks' });
    await until('checks');
  });

  test('notifications no longer reach a listener that has stopped', async () => {
    const { heard, hear, until } = listener();
    const { hear: hearToo, until: untilToo } = listener();
    const notifications = open();
    const stop = notifications.listen(['checks'], hear);
    notifications.listen(['checks'], hearToo);
    await until('missed');
    stop();
    notifications.notify({ topic: 'checks' });
    await untilToo('checks');
    expect(heard).toEqual(['missed']);
  });
});
