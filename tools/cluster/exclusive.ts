import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Runs `work` while no other process in this network namespace runs work under this name. Prints
 * `waitMessage` if it has to wait. The lock is an abstract socket, which the kernel frees when the process
 * ends.
 */
export async function exclusively<T>(name: string, waitMessage: string, work: () => Promise<T>): Promise<T> {
  const address = `\0millrace-${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
  let server = await tryListen(address);
  if (server === undefined) {
    console.log(waitMessage);
  }
  while (server === undefined) {
    await sleep(200);
    server = await tryListen(address);
  }
  try {
    return await work();
  } finally {
    server.close();
  }
}

function tryListen(address: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') {
        resolve(undefined);
      } else {
        reject(error);
      }
    });
    server.listen(address, () => {
      server.unref();
      resolve(server);
    });
  });
}
