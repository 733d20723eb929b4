import { describe, expect, test } from '@jest/globals';
import { limitByAddress } from './rate-limits.ts';

function limited(addresses = 100) {
  let now = 0;
  const take = limitByAddress({ burst: 3, perSecond: 2, addresses }, () => now);
  /** Returns how many of this number of requests are allowed. */
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

describe('the rate limit of an address', () => {
  test('allows a burst and then a number of requests per second', () => {
    const { through, later } = limited();
    expect(through('192.0.2.1', 10)).toBe(3);
    later(1000);
    expect(through('192.0.2.1', 10)).toBe(2);
    later(60_000);
    expect(through('192.0.2.1', 10)).toBe(3);
  });

  test('is independent of other addresses', () => {
    const { through } = limited();
    expect([through('192.0.2.1', 10), through('192.0.2.2', 10)]).toEqual([3, 3]);
  });

  test('is shared by the addresses of one IPv6 network', () => {
    const { through } = limited();
    expect([through('2001:db8::1', 10), through('2001:db8::ffff:2', 10)]).toEqual([3, 0]);
  });

  test('returns the time to wait in its error', () => {
    const { take, through } = limited();
    through('192.0.2.1', 3);
    expect(() => take('192.0.2.1')).toThrow(
      expect.objectContaining({ kind: 'too-many-requests', extensions: { retry_after: 1 } }),
    );
  });

  test('is stored for a limited number of addresses, and the least recently active is removed first', () => {
    const { through } = limited(2);
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.3']) through(address, 2);
    expect([through('192.0.2.1', 10), through('192.0.2.2', 10)]).toEqual([0, 3]);
  });
});
