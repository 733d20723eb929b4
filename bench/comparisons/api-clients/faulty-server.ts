import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { basename, parse } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pairAt } from '#tools/cluster/certificates.ts';
import { NAMESPACE } from './calls.ts';

const LARGE_BYTES = 128 * 1024 * 1024;
const FILLER = Buffer.alloc(64 * 1024, ' ');

/**
 * Answers like a faulty API server. The name of the object, up to its last full stop, says which fault:
 * `throttled.2` is throttled. Requests in the namespace `gone` get 410. Any other name never gets an answer.
 */
export class FaultyServer {
  readonly port: string;
  readonly #server: Server;
  readonly #throttled = new Set<string>();

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = String(port);
    server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(folder: string): Promise<FaultyServer> {
    const pair = pairAt(folder, 'api');
    const server = createServer({ cert: readFileSync(pair.certificate), key: readFileSync(pair.key) });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return new FaultyServer(server, typeof address === 'object' && address !== null ? address.port : 0);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'https://localhost').pathname;
    const name = path.includes('/namespaces/gone/') ? 'gone' : basename(path);
    switch (parse(name).name) {
      case 'throttled':
        // Throttles each name once. The benchmark gives each contestant a name with a number of its own.
        if (this.#throttled.has(name)) return answer(response, 200, object(name));
        this.#throttled.add(name);
        response.setHeader('retry-after', '1');
        return answer(response, 429, status(429, 'TooManyRequests', 'try again later'));
      case 'gone':
        return answer(response, 410, status(410, 'Expired', 'the continue token is too old'));
      case 'newer':
        return answer(response, 200, { ...object(name), fieldOfANewerServer: 'x' });
      case 'cut':
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
        response.write('{"kind": "ConfigMap", ', () => request.socket.destroy());
        return;
      case 'reset':
        request.socket.destroy();
        return;
      case 'large':
        return sendLarge(response);
      default:
      // Such as `silent`: no answer.
    }
  }
}

const object = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: NAMESPACE, resourceVersion: '1' },
});

const status = (code: number, reason: string, message: string) => ({
  apiVersion: 'v1',
  kind: 'Status',
  status: 'Failure',
  code,
  reason,
  message,
});

function answer(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function sendLarge(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' });
  // The client may disconnect early. The benchmark reports that.
  await pipeline(Readable.from(largeBody()), response).catch(() => undefined);
}

function* largeBody(): Generator<Buffer> {
  for (let sent = 0; sent < LARGE_BYTES; sent += FILLER.length) yield FILLER;
  yield Buffer.from(JSON.stringify(object('large')));
}
