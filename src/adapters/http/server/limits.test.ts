import { connect, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { publicRoutes } from '#adapters/http/routes.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { inMemoryPorts } from '#testing/http/in-memory-ports.ts';
import type { App } from './route.ts';
import { createServer } from './server.ts';

/* Bytes as a hostile client may send them, over a real socket. */
const lines: string[] = [];
let app: App;
beforeAll(async () => {
  app = createServer({
    routes: publicRoutes(inMemoryPorts(), async () => undefined, '0'),
    authenticate: async () => 'anonymous',
    log: createLog('trace', 'test', { write: (line) => void lines.push(line) }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => await app.close());

async function send(bytes: string): Promise<string> {
  const address: AddressInfo | string | null = app.server.address();
  const socket = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  let text = '';
  const answered = new Promise<void>((resolve) => {
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\r\n\r\n')) resolve();
    });
    // The server may close the connection before the client has sent everything; it has answered by then.
    socket.on('error', () => resolve()).on('close', () => resolve());
  });
  socket.write(bytes);
  await answered;
  socket.destroy();
  return text.slice(0, text.indexOf('\r\n'));
}

const CASES: Record<string, [bytes: string, answer: string]> = {
  'an ordinary request': ['GET /health HTTP/1.1\r\nHost: x\r\n\r\n', 'HTTP/1.1 200 OK'],
  'bytes that are not HTTP': ['\x16\x03\x01 hunter2\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
  'endless headers': [
    `GET /health HTTP/1.1\r\nHost: x\r\nX-Hunter2: ${'x'.repeat(17 * 1024)}\r\n\r\n`,
    'HTTP/1.1 431 Request Header Fields Too Large',
  ],
  'an endless path': [
    `GET /${'hunter2'.repeat(3000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    'HTTP/1.1 431 Request Header Fields Too Large',
  ],
  'a name above the maximum length': [
    `GET /teams/${'t'.repeat(300)}/pipelines HTTP/1.1\r\nHost: x\r\n\r\n`,
    'HTTP/1.1 404 Not Found',
  ],
  'both Content-Length and Transfer-Encoding': [
    'POST /webhooks/hunter2 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'HTTP/1.1 400 Bad Request',
  ],
  'a Content-Length above the maximum': [
    'POST /webhooks/hunter2 HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 99999999\r\n\r\n',
    'HTTP/1.1 413 Payload Too Large',
  ],
};

describe('a connection gets the expected answer to', () => {
  test.each(Object.entries(CASES))('%s', async (_name, [bytes, answer]) => {
    expect(await send(bytes)).toBe(answer);
  });

  test('nothing of these requests is logged, even at the most verbose level', () => {
    expect(lines.join('')).not.toContain('unter2');
  });
});
