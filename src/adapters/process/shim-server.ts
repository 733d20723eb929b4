import { createServer, type Server, type Socket } from 'node:net';
import { answerHello, readHello, shimKey } from './sealed-frames.ts';
import { ShimConnection } from './shim-connection.ts';

const HELLO_LIMIT_MS = 10_000;

/**
 * Accepts connections of step containers on loopback. The server closes when all containers have connected,
 * so that no process of a step finds the port open. Each container connects once: the server refuses a second
 * connection in its name.
 */
export class ShimServer {
  readonly #server: Server;
  readonly #secret: string;
  readonly #connected = new Map<string, ShimConnection>();
  readonly #waiting = new Map<string, (connection: ShimConnection) => void>();

  constructor(secret: string) {
    this.#secret = secret;
    this.#server = createServer({ noDelay: true }, (socket) => this.#shakeHands(socket));
  }

  /** Returns the port. Port 0 picks a free one. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  /**
   * Waits for every container, then stops listening. Rejects with the names of those that did not connect, or
   * at once when `stop` aborts.
   */
  async gather(
    containers: string[],
    limitMs: number,
    stop?: AbortSignal,
  ): Promise<Map<string, ShimConnection>> {
    let timer: NodeJS.Timeout | undefined;
    const failure = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const missing = containers.filter((name) => !this.#connected.has(name));
        reject(new Error(`no connection from ${missing.join(', ')} within ${Math.round(limitMs / 1000)} s`));
      }, limitMs);
      stop?.addEventListener('abort', () => reject(new Error('stopped waiting for the step containers')), {
        once: true,
      });
    });
    try {
      const connections = containers.map(async (name) => [name, await this.#connection(name)] as const);
      return new Map(await Promise.race([Promise.all(connections), failure]));
    } finally {
      clearTimeout(timer);
      this.close();
    }
  }

  close(): void {
    this.#server.close();
  }

  #connection(container: string): Promise<ShimConnection> {
    const connection = this.#connected.get(container);
    if (connection) return Promise.resolve(connection);
    return new Promise((resolve) => this.#waiting.set(container, resolve));
  }

  #shakeHands(socket: Socket): void {
    let bytes = Buffer.alloc(0);
    const timer = setTimeout(() => socket.destroy(), HELLO_LIMIT_MS);
    timer.unref();
    const refuse = (): void => {
      clearTimeout(timer);
      socket.destroy();
    };
    const receive = (more: Buffer): void => {
      bytes = Buffer.concat([bytes, more]);
      try {
        const hello = readHello(bytes);
        if (!hello) return;
        socket.off('data', receive).off('error', refuse);
        clearTimeout(timer);
        if (this.#connected.has(hello.container)) throw new Error('a container connects once');
        const { answer, seals } = answerHello(hello, shimKey(this.#secret, hello.container));
        socket.write(answer);
        const connection = new ShimConnection(hello.container, socket, seals);
        connection.begin(bytes.subarray(hello.size));
        this.#admit(connection);
      } catch {
        refuse();
      }
    };
    socket.on('data', receive);
    socket.on('error', refuse);
  }

  #admit(connection: ShimConnection): void {
    this.#connected.set(connection.container, connection);
    this.#waiting.get(connection.container)?.(connection);
    this.#waiting.delete(connection.container);
  }
}
