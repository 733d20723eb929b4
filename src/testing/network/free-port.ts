import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const FIRST_PORT = 12_000;
/** Installations often use fixed ports from here on. */
const LAST_PORT = 28_000;
/** Up to this many jest workers of a run search separate shares of the ports, and so pick different ports. */
const SHARES = 16;

let next: number | undefined;

/**
 * A port for a program that listens later. An outgoing connection could take an ephemeral port first, so the
 * port is below the kernel's ephemeral range, unless that range begins very low.
 */
export async function freePort(): Promise<number> {
  const size = Math.floor((Math.min(LAST_PORT, firstEphemeralPort()) - FIRST_PORT) / SHARES);
  const firstOfShare = FIRST_PORT + (Number(process.env['JEST_WORKER_ID'] ?? 0) % SHARES) * size;
  // Another test run may search the same share.
  next ??= Math.floor(Math.random() * size);
  for (let tries = 0; tries < size; tries += 1) {
    next = (next + 1) % size;
    // Other callers may have advanced `next` meanwhile.
    const port = firstOfShare + next;
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port from ${firstOfShare} to ${firstOfShare + size}.`);
}

/** Whether no process listens on the port at any IPv4 address. */
async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen({ port, host: '0.0.0.0', exclusive: true }, () => server.close(() => resolve(true)));
  });
}

function firstEphemeralPort(): number {
  const [first] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s+/);
  const port = Number(first);
  return port > FIRST_PORT + SHARES * 100 ? port : LAST_PORT;
}
