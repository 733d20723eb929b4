import { describe, expect, test } from '@jest/globals';
import { limitByAddress } from './rate-limits.ts';

function createLimit(addresses = 100) {
  let now = 0;
  const limitAddress = limitByAddress({ burst: 3, perSecond: 2, addresses }, () => now);
  /** Makes this number of requests and returns how many of them are allowed. */
  const countAllowed = (address: string, count: number): number =>
    Array.from({ length: count }).filter(() => {
      try {
        limitAddress(address);
        return true;
      } catch {
        return false;
      }
    }).length;
  return {
    limitAddress,
    countAllowed,
    advanceClock: (milliseconds: number) => void (now += milliseconds),
  };
}

describe('the rate limit of an address', () => {
  test('allows a burst and then a number of requests per second', () => {
    const { countAllowed, advanceClock } = createLimit();
    expect(countAllowed('192.0.2.1', 10)).toBe(3);
    advanceClock(1000);
    expect(countAllowed('192.0.2.1', 10)).toBe(2);
    advanceClock(60_000);
    expect(countAllowed('192.0.2.1', 10)).toBe(3);
  });

  test('is independent of other addresses', () => {
    const { countAllowed } = createLimit();
    expect([countAllowed('192.0.2.1', 10), countAllowed('192.0.2.2', 10)]).toEqual([3, 3]);
  });

  test('is shared by the addresses of one IPv6 network', () => {
    const { countAllowed } = createLimit();
    expect([countAllowed('2001:db8::1', 10), countAllowed('2001:db8::ffff:2', 10)]).toEqual([3, 0]);
  });

  test('returns the time to wait in its error', () => {
    const { limitAddress, countAllowed } = createLimit();
    countAllowed('192.0.2.1', 3);
    expect(() => limitAddress('192.0.2.1')).toThrow(
      expect.objectContaining({ kind: 'too-many-requests', extensions: { retry_after: 1 } }),
    );
  });

  test('is stored for a limited number of addresses, and the least recently active is removed first', () => {
    const { countAllowed } = createLimit(2);
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.1', '192.0.2.3']) countAllowed(address, 2);
    expect([countAllowed('192.0.2.1', 10), countAllowed('192.0.2.2', 10)]).toEqual([0, 3]);
  });
});
