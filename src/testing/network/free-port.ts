import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const FIRST = 12_000;
/** From here on installations like to have ports of their own. */
const LAST = 28_000;
/** Each worker of jest has its share, so that no two take the same port for free. */
const SHARES = 16;

let next: number | undefined;

/**
 * A port that a program is told to listen on later. Below those that the kernel hands out by itself: such a
 * one could be an outgoing connection's before the program has it.
 */
export async function freePort(): Promise<number> {
  const size = Math.floor((Math.min(LAST, firstOfKernel()) - FIRST) / SHARES);
  const from = FIRST + (Number(process.env['JEST_WORKER_ID'] ?? 0) % SHARES) * size;
  // Another test run may have the same share.
  next ??= Math.floor(Math.random() * size);
  for (let tries = 0; tries < size; tries += 1) {
    next = (next + 1) % size;
    // Others may ask meanwhile.
    const port = from + next;
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port from ${from} to ${from + size}.`);
}

/** Whoever has it at any address. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host: '0.0.0.0', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function firstOfKernel(): number {
  const [first] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/);
  const port = Number(first);
  return port > FIRST + SHARES * 100 ? port : LAST;
}
