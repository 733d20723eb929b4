import { expect, test } from '@jest/globals';
import { createFairPool } from './fair-pool.ts';

/** All ask at once for the only seat and give it back; answers who had it, in order. */
async function served(...shares: string[]): Promise<string[]> {
  const seats = createFairPool(['seat']);
  const order: string[] = [];
  await Promise.all(
    shares.map(async (share) => {
      const seat = await seats.acquire(share);
      order.push(share);
      await Promise.resolve();
      seats.release(seat);
    }),
  );
  return order;
}

test.each<[string, asked: string[], order: string[]]>([
  ['who comes alone is served in order', ['a1', 'a2'], ['a1', 'a2']],
  ['parties take turns', ['a', 'a', 'a', 'b', 'c', 'b'], ['a', 'a', 'b', 'c', 'a', 'b']],
])('%s', async (_, asked, order) => {
  expect(await served(...asked)).toEqual(order);
});

test("1,000 texts of one party stand before another one's by the one that is being read and one more", async () => {
  const order = await served(...Array.from({ length: 1000 }, () => 'greedy'), 'good');
  expect(order.indexOf('good')).toBeLessThanOrEqual(2);
  expect(order).toHaveLength(1001);
});
