import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from '#config';

/** Starts listening on an address. If that fails, the error names the address. */
export async function listen(server: Server, { host, port }: Address): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** Closes the server and its connections at once, without waiting for pending requests. */
export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeAllConnections();
  await closed;
}

interface Closable {
  server: Pick<Server, 'closeIdleConnections' | 'on'>;
  close(): Promise<unknown>;
}

const SWEEP_MS = 100;
/** How long `gracefulClose` waits for clients that read slowly. */
const TIMEOUT_MS = 5000;

/**
 * Returns a function that closes the server gracefully: the server answers pending requests, and each
 * connection ends after its last response. To Node, a connection is idle even if megabytes of its response
 * are not sent yet. So the function first waits until everything is sent, but no longer than `timeoutMs`.
 */
export function gracefulClose(app: Closable, timeoutMs = TIMEOUT_MS): () => Promise<void> {
  const sockets = new Set<Socket>();
  const watch = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  app.server.on('connection', watch).on('secureConnection', watch);
  return async () => {
    const deadline = performance.now() + timeoutMs;
    const mayClose = (): boolean =>
      performance.now() > deadline || [...sockets].every(({ writableLength }) => writableLength === 0);
    while (!mayClose()) await sleep(SWEEP_MS);
    const sweep = setInterval(() => {
      if (mayClose()) app.server.closeIdleConnections();
    }, SWEEP_MS);
    try {
      await app.close();
    } finally {
      clearInterval(sweep);
    }
  };
}
