import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { databaseReadiness, healthOf } from './readiness.ts';

let now = 0;
beforeEach(() => {
  now = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  jest.restoreAllMocks();
  jest.useRealTimers();
});

describe('readiness', () => {
  test('follows the database as it goes away and comes back', async () => {
    const database = { away: false };
    const lost: unknown[] = [];
    const readiness = databaseReadiness(
      async () => {
        if (database.away) throw new Error('password of db.internal is wrong');
      },
      (error) => lost.push(error),
    );
    expect(await readiness()).toBeUndefined();
    now += 2000;
    database.away = true;
    expect(await readiness()).toBe('The database does not answer.');
    expect(lost).toHaveLength(1);
    now += 2000;
    database.away = false;
    expect(await readiness()).toBeUndefined();
  });

  test('queries the database once for all probes within a second', async () => {
    let asked = 0;
    const readiness = databaseReadiness(
      async () => {
        asked += 1;
      },
      () => {},
    );
    await Promise.all([readiness(), readiness()]);
    now += 900;
    await readiness();
    expect(asked).toBe(1);
    now += 200;
    await readiness();
    expect(asked).toBe(2);
  });

  test('does not wait for a database that never answers', async () => {
    jest.useFakeTimers({ doNotFake: ['performance'] });
    const readiness = databaseReadiness(
      () => new Promise(() => {}),
      () => {},
    );
    const answer = readiness();
    await jest.advanceTimersByTimeAsync(2000);
    expect(await answer).toBe('The database does not answer.');
  });

  test('is reported as the reference documents it', async () => {
    expect(await healthOf(async () => undefined, '1')).toEqual({
      status: 200,
      body: { status: 'ok', db: 'connected', version: '1' },
    });
    expect(await healthOf(async () => 'away', '1')).toEqual({
      status: 503,
      body: { status: 'error', db: 'disconnected', version: '1', error: 'away' },
    });
  });
});
