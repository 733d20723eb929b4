import { describe, expect, test } from '@jest/globals';
import { warnOfUntrustedProxies } from './untrusted-proxies.ts';

const FORWARDED = { 'x-forwarded-for': '203.0.113.7' };

function warnings(trusted: string[], requests: Record<string, string>[]): unknown[] {
  const warned: unknown[] = [];
  const log = { warn: (...args: unknown[]) => void warned.push(args) };
  const checkRequest = warnOfUntrustedProxies(log, trusted);
  // The socket is read for its address only.
  for (const headers of requests)
    checkRequest({ headers, socket: Object.create({ remoteAddress: '10.0.0.3' }) });
  return warned;
}

describe('a proxy that is not trusted', () => {
  test('causes one warning with its address and the setting', () => {
    expect(warnings([], [{}, FORWARDED, FORWARDED])).toEqual([
      [{ peer: '10.0.0.3' }, expect.stringContaining('Set signIn.trustedProxies to the range of the proxy.')],
    ]);
  });

  test.each<[string, string[], Record<string, string>[]]>([
    ['if a range is trusted', ['10.0.0.0/8'], [FORWARDED]],
    ['if no headers are forwarded', [], [{}, { forwarded: 'x' }]],
  ])('causes no warning %s', (_, trusted, requests) => {
    expect(warnings(trusted, requests)).toEqual([]);
  });
});
