import { expect, test } from '@jest/globals';
import { cacheLogSizes } from './cache-log-sizes.ts';

test('the log sizes of each team, and those of all teams, are read once in 30 seconds', async () => {
  let now = 0;
  const sums: string[] = [];
  const sizes = cacheLogSizes(
    {
      ofTeam: async (team) => sums.push(`team ${team}`),
      async ofTeams() {
        return new Map([[1, sums.push('all')]]);
      },
    },
    () => now,
  );
  const read = async () => [await sizes.ofTeam(1), await sizes.ofTeam(2), (await sizes.ofTeams()).get(1)];
  expect(await read()).toEqual([1, 2, 3]);
  now = 29_999;
  expect(await Promise.all([read(), read()])).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
  expect(sums).toEqual(['team 1', 'team 2', 'all']);
  now = 30_000;
  expect(await read()).toEqual([4, 5, 6]);
});
