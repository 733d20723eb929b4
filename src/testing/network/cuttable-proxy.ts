import { connect, createServer, type Socket } from 'node:net';

/** A connection that can fall silent: bytes are swallowed in both directions and neither side is told. */
export interface CuttableProxy {
  port: number;
  /** From now on nothing passes; open connections stay open. */
  cut(): void;
  /** Connections made from now on pass; those that were cut stay silent. */
  mend(): void;
  close(): Promise<void>;
}

/** Port 0 picks a free one. */
export async function startProxy(target: number, port = 0): Promise<CuttableProxy> {
  const sockets = new Set<Socket>();
  const cutOff = new WeakSet<Socket>();
  let cutting = false;
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      if (cutting) cutOff.add(socket);
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
      cutting = true;
      for (const socket of sockets) cutOff.add(socket);
    },
    mend: () => {
      cutting = false;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
