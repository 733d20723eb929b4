import { describe, expect, test } from '@jest/globals';
import { warnOfUntrustedProxies } from './untrusted-proxies.ts';

const FORWARDED = { 'x-forwarded-for': '203.0.113.7' };

function warnings(trusted: string[], requests: Record<string, string>[]): unknown[] {
  const warned: unknown[] = [];
  const log = { warn: (...all: unknown[]) => void warned.push(all) };
  const notice = warnOfUntrustedProxies(log, trusted);
  // The socket is read for its address only.
  for (const headers of requests) notice({ headers, socket: Object.create({ remoteAddress: '10.0.0.3' }) });
  return warned;
}

describe('a proxy that nobody told us to trust', () => {
  test('is warned of once, with its address and what to set', () => {
    expect(warnings([], [{}, FORWARDED, FORWARDED])).toEqual([
      [{ peer: '10.0.0.3' }, expect.stringContaining('Set signIn.trustedProxies to the range of the proxy.')],
    ]);
  });

  test.each<[string, string[], Record<string, string>[]]>([
    ['where a range is trusted', ['10.0.0.0/8'], [FORWARDED]],
    ['where nobody forwards', [], [{}, { forwarded: 'x' }]],
  ])('is not warned of %s', (_, trusted, requests) => {
    expect(warnings(trusted, requests)).toEqual([]);
  });
});
