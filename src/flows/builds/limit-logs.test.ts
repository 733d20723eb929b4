import { expect, test } from '@jest/globals';
import { limitLogs, type LogStore } from './limit-logs.ts';

/** A store with the log bytes of each team's builds, oldest first. Each call removes the log of one build. */
function store(builds: Record<string, number[]>): LogStore {
  const sum = (team: string): number => (builds[team] ?? []).reduce((total, bytes) => total + bytes, 0);
  return {
    logBytes: (team) =>
      builds[team] === undefined ? Promise.reject(new Error(team)) : Promise.resolve(sum(team)),
    removeOldestLogs(team, limit) {
      if (sum(team) <= limit) return Promise.resolve(0);
      builds[team]?.shift();
      return Promise.resolve(1);
    },
  };
}

test('the oldest logs of a team over its limit are deleted, and no logs of other teams', async () => {
  const builds = { greedy: [60, 50, 40, 30], near: [50, 35], fine: [10], free: [500] };
  const teams = [
    { team: 'greedy', limit: 100 },
    { team: 'near', limit: 100 },
    { team: 'fine', limit: 100 },
    { team: 'free' },
  ];
  expect(await limitLogs(teams, store(builds))).toEqual({
    fills: new Map([
      ['greedy', 'full'],
      ['near', 'near'],
      ['fine', 'fine'],
      ['free', 'fine'],
    ]),
    bytes: 70 + 85 + 10 + 500,
    removed: new Map([['greedy', 2]]),
    failures: [],
  });
  expect(builds).toEqual({ greedy: [40, 30], near: [50, 35], fine: [10], free: [500] });
});

test('a team whose logs cannot be read does not keep others from being limited', async () => {
  const { fills, failures } = await limitLogs([{ team: 'gone' }, { team: 'fine' }], store({ fine: [1] }));
  expect([...fills]).toEqual([['fine', 'fine']]);
  expect(failures).toHaveLength(1);
});
