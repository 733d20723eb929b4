import { describe, expect, test } from '@jest/globals';
import { limitByAddress } from './rate-limits.ts';

function limited(addresses = 100) {
  let now = 0;
  const take = limitByAddress({ burst: 3, perSecond: 2, addresses }, () => now);
  /** How many of so many requests get through. */
  const through = (address: string, times: number): number =>
    Array.from({ length: times }).filter(() => {
      try {
        take(address);
        return true;
      } catch {
        return false;
      }
    }).length;
  return { take, through, later: (milliseconds: number) => void (now += milliseconds) };
}

describe('what an address may ask for', () => {
  test('is a burst, and then what comes to it each second', () => {
    const { through, later } = limited();
    expect(through('192.0.2.1', 10)).toBe(3);
    later(1000);
    expect(through('192.0.2.1', 10)).toBe(2);
    later(60_000);
    expect(through('192.0.2.1', 10)).toBe(3);
  });

  test('is its own', () => {
    const { through } = limited();
    expect([through('192.0.2.1', 10), through('192.0.2.2', 10)]).toEqual([3, 3]);
  });

  test('is not more for somebody who has a network of addresses', () => {
    const { through } = limited();
    expect([through('2001:db8::1', 10), through('2001:db8::ffff:2', 10)]).toEqual([3, 0]);
  });

  test('is told when it is too much, with the time to wait', () => {
    const { take, through } = limited();
    through('192.0.2.1', 3);
    expect(() => take('192.0.2.1')).toThrow(
      expect.objectContaining({ kind: 'too-many-requests', extensions: { retry_after: 1 } }),
    );
  });

  test('is remembered for so many addresses, and first forgotten of those that were quiet for longest', () => {
    const { through } = limited(2);
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.3']) through(address, 2);
    expect([through('192.0.2.1', 10), through('192.0.2.2', 10)]).toEqual([0, 3]);
  });
});
