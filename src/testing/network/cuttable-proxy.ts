import { connect, createServer, type Socket } from 'node:net';

/** A proxy that can drop all bytes in both directions without closing connections. */
export interface CuttableProxy {
  port: number;
  /** Drops all bytes from now on; open connections stay open. */
  cut(): void;
  /** Forwards connections opened from now on; earlier ones stay silent. */
  mend(): void;
  close(): Promise<void>;
}

/** Starts a proxy to a port of this machine. `port` 0 picks a free port for the proxy. */
export async function startProxy(target: number, port = 0): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  const cutOff = new WeakSet<Socket>();
  let isCut = false;
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      if (isCut) cutOff.add(socket);
      socket.on('data', (bytes) => void (cutOff.has(socket) || other.write(bytes)));
      socket.on('close', () => {
        sockets.delete(socket);
        if (!cutOff.has(socket)) other.destroy();
      });
      socket.on('error', () => undefined);
    }
  });
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve());
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    cut: () => {
      isCut = true;
      for (const socket of sockets) cutOff.add(socket);
    },
    mend: () => {
      isCut = false;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
