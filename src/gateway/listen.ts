import type { Server } from 'node:http';
import type { Address } from '#config';

/** Opens a plain server on an address; the error names what could not be opened. */
export async function listen(server: Server, { host, port }: Address): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

export async function closeServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeAllConnections();
  await closed;
}

interface Closable {
  server: Pick<Server, 'closeIdleConnections'>;
  close(): Promise<unknown>;
}

const SWEEP_MS = 100;

/**
 * What is under way is answered; a connection ends with its last answer, also where its client would keep it. Node closes those that are idle at the
 * start of the end, and waits for all others as long as they are kept.
 */
export async function closeApp(app: Closable): Promise<void> {
  const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_MS);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
  }
}
