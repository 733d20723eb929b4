import { expect, test } from '@jest/globals';
import { createFairPool } from './fair-pool.ts';

/**
 * All parties request the only seat at once, and release it. Returns the parties in the order in which they
 * had it.
 */
async function served(...parties: string[]): Promise<string[]> {
  const seats = createFairPool(['seat']);
  const order: string[] = [];
  await Promise.all(
    parties.map(async (party) => {
      const seat = await seats.acquire(party);
      order.push(party);
      await Promise.resolve();
      seats.release(seat);
    }),
  );
  return order;
}

test.each<[string, requests: string[], order: string[]]>([
  ['requests get the seat in their order if nobody has to take turns', ['a1', 'a2'], ['a1', 'a2']],
  ['parties take turns', ['a', 'a', 'a', 'b', 'c', 'b'], ['a', 'a', 'b', 'c', 'a', 'b']],
])('%s', async (_, requests, order) => {
  expect(await served(...requests)).toEqual(order);
});

test('1,000 requests of one party delay the request of another party by at most two', async () => {
  const order = await served(...Array.from({ length: 1000 }, () => 'greedy'), 'good');
  expect(order.indexOf('good')).toBeLessThanOrEqual(2);
  expect(order).toHaveLength(1001);
});
