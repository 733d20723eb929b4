import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { gracefulClose, listen } from './listen.ts';

let agent: Agent;
afterEach(() => agent.destroy());

/** Starts a server and sends it one request from a client that keeps its connection open. */
async function startWithRequest(timeoutMs?: number) {
  agent = new Agent({ keepAlive: true });
  const server = createServer({ keepAliveTimeout: 600_000 });
  const close = gracefulClose({ server, close: async () => await closed(server) }, timeoutMs);
  await listen(server, { host: '127.0.0.1', port: 0 });
  const address = server.address();
  const clientRequest = get(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, { agent });
  const responses: ServerResponse[] = [];
  server.on('request', (_request, response) => responses.push(response));
  await once(server, 'request');
  return { close, clientRequest, response: responses[0] };
}

const closed = async (server: Server): Promise<void> =>
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });

test('closing the server does not wait for a client that keeps its connection after the response', async () => {
  const { close, clientRequest, response } = await startWithRequest();
  response?.write('the head is out, and says that the connection stays; ');
  const [answer]: IncomingMessage[] = await once(clientRequest, 'response');
  const closing = close();
  response?.end('and here is the rest');
  expect(await answer?.toArray()).toHaveLength(2);
  await closing;
});

/** Larger than the buffers of the kernel. */
const LARGE = Buffer.alloc(64 * 1024 * 1024);
/** The time limit of a test, long because a busy machine may need seconds to read `LARGE`. */
const LONG_MS = 600_000;

test.each(['before the close', 'during the close'])(
  'a response that is written %s reaches a slow client completely',
  async (when) => {
    const { close, clientRequest, response } = await startWithRequest(LONG_MS);
    response?.write('first ');
    const [answer]: IncomingMessage[] = await once(clientRequest, 'response');
    if (when === 'before the close') response?.end(LARGE);
    const closing = close();
    if (when === 'during the close') response?.end(LARGE);
    await sleep(300);
    expect(Buffer.concat((await answer?.toArray()) ?? []).length).toBe(LARGE.length + 6);
    await closing;
  },
);

test('closing the server cuts the connection of a client that does not read', async () => {
  const { close, clientRequest, response } = await startWithRequest(300);
  response?.write('first ');
  const [answer]: IncomingMessage[] = await once(clientRequest, 'response');
  response?.end(LARGE);
  await close();
  await expect(answer?.toArray()).rejects.toThrow('aborted');
});
