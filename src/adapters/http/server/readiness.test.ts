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
  test('changes when the database becomes unreachable, and when it is reachable again', async () => {
    const database = { isAway: false };
    const reportedErrors: unknown[] = [];
    const readiness = databaseReadiness(
      async () => {
        if (database.isAway) throw new Error('password of db.internal is wrong');
      },
      (error) => reportedErrors.push(error),
    );
    expect(await readiness()).toBeUndefined();
    now += 2000;
    database.isAway = true;
    expect(await readiness()).toBe('The database does not answer.');
    expect(reportedErrors).toHaveLength(1);
    now += 2000;
    database.isAway = false;
    expect(await readiness()).toBeUndefined();
  });

  test('queries the database once for all probes within a second', async () => {
    let pings = 0;
    const readiness = databaseReadiness(
      async () => {
        pings += 1;
      },
      () => {},
    );
    await Promise.all([readiness(), readiness()]);
    now += 900;
    await readiness();
    expect(pings).toBe(1);
    now += 200;
    await readiness();
    expect(pings).toBe(2);
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
