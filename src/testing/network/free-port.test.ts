import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { freePort } from './free-port.ts';

test('a port is returned once, and is not one that the kernel assigns', async () => {
  const first = await freePort();
  const taken = createServer();
  await new Promise<void>((resolve) =>
    taken.listen(first + 1, '127.0.0.1', resolve).on('error', () => resolve()),
  );
  const others = await Promise.all([freePort(), freePort(), freePort()]);
  taken.close();
  expect(new Set([first, first + 1, ...others]).size).toBe(5);
  const range = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8');
  expect(Math.max(first, ...others)).toBeLessThan(Number(range.split(/\s+/)[0]));
});
