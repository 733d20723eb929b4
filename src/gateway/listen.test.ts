import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { gracefulClose, listen } from './listen.ts';

let agent: Agent;
afterEach(() => agent.destroy());

/** A server that got one request from a client that would keep its connection. */
async function askedOnce(patienceMs?: number) {
  agent = new Agent({ keepAlive: true });
  const server = createServer({ keepAliveTimeout: 600_000 });
  const close = gracefulClose({ server, close: async () => await closed(server) }, patienceMs);
  await listen(server, { host: '127.0.0.1', port: 0 });
  const address = server.address();
  const asking = get(`http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`, { agent });
  const asked: ServerResponse[] = [];
  server.on('request', (_request, response) => asked.push(response));
  await once(server, 'request');
  return { close, asking, response: asked[0] };
}

const closed = async (server: Server): Promise<void> =>
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });

test('closing the server does not wait for a client that keeps its connection after its answer', async () => {
  const { close, asking, response } = await askedOnce();
  response?.write('the head is out, and says that the connection stays; ');
  const [answer]: IncomingMessage[] = await once(asking, 'response');
  const closing = close();
  response?.end('and here is the rest');
  expect(await answer?.toArray()).toHaveLength(2);
  await closing;
});

/** More than the kernel buffers. */
const LARGE = Buffer.alloc(64 * 1024 * 1024);
/** A busy machine may need seconds to read that. */
const LONG_MS = 600_000;

test.each(['before the end', 'while it ends'])(
  'an answer written %s reaches a client that reads slowly, whole',
  async (when) => {
    const { close, asking, response } = await askedOnce(LONG_MS);
    response?.write('first ');
    const [answer]: IncomingMessage[] = await once(asking, 'response');
    if (when === 'before the end') response?.end(LARGE);
    const closing = close();
    if (when === 'while it ends') response?.end(LARGE);
    await sleep(300);
    expect(Buffer.concat((await answer?.toArray()) ?? []).length).toBe(LARGE.length + 6);
    await closing;
  },
);

test('closing the server ends a client that reads nothing', async () => {
  const { close, asking, response } = await askedOnce(300);
  response?.write('first ');
  const [answer]: IncomingMessage[] = await once(asking, 'response');
  response?.end(LARGE);
  await close();
  await expect(answer?.toArray()).rejects.toThrow('aborted');
});
