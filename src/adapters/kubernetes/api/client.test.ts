import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Agent } from 'undici';
import { ApiClient } from './client.ts';
import { KINDS } from './kinds.ts';

/* An API server whose only objects are ConfigMaps of 1 KiB, or one that sends endlessly. */
const OBJECTS = 1000;
const LIMIT = 64 * 1024;
const REF = { namespace: 'blue', name: 'text' };

let server: Server;
let client: ApiClient;
let pool: Agent;
let sendsForever = false;
/** Limits of the requested lists. */
const limits: number[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    response.writeHead(200, { 'content-type': 'application/json' });
    if (sendsForever) sendEndlessly(response);
    else if (request.url?.startsWith('/api/v1/pods?') === true)
      response.end(JSON.stringify({ metadata: { resourceVersion: '8' }, items: null }));
    else response.end(JSON.stringify(page(searchParams)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  pool = new Agent();
  client = new ApiClient(
    {
      server: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
      requests: pool,
      watches: pool,
      authorization: async () => ({}),
      close: async () => await pool.close(),
    },
    LIMIT,
  );
});
afterAll(async () => {
  await pool.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function page(query: URLSearchParams): object {
  const limit = Number(query.get('limit'));
  const from = Number(query.get('continue') ?? 0);
  limits.push(limit);
  const count = Math.min(limit, OBJECTS - from);
  const items = Array.from({ length: count }, (_, index) => ({
    metadata: { name: `text-${from + index}` },
    data: { text: 'x'.repeat(1024) },
  }));
  const next = from + count < OBJECTS ? { continue: String(from + count) } : {};
  return { metadata: { resourceVersion: '7', ...next }, items };
}

function sendEndlessly(response: ServerResponse): void {
  const write = (): void => {
    while (!response.destroyed && response.write('x'.repeat(16 * 1024)));
  };
  response.on('drain', write);
  write();
}

test('the client reads an endless answer up to the limit and no further', async () => {
  sendsForever = true;
  const connectionClosed = new Promise((resolve) =>
    server.once('connection', (socket) => socket.on('close', resolve)),
  );
  expect(await client.get(KINDS.configMaps, REF)).toEqual({
    ok: false,
    status: 0,
    reason: 'TooLarge',
    message: `the answer of the API server has more than ${LIMIT} bytes`,
  });
  await connectionClosed;
  sendsForever = false;
});

test('the client reads a list of large objects in smaller pages, each object once', async () => {
  const names: (string | undefined)[] = [];
  const answer = await client.list(KINDS.configMaps, {}, (items) => {
    for (const { metadata } of items) names.push(metadata?.name);
  });
  expect(answer).toEqual({ ok: true, value: '7' });
  expect(names).toEqual(Array.from({ length: OBJECTS }, (_, index) => `text-${index}`));
  expect(limits.slice(0, 4)).toEqual([500, 125, 31, 31]);
});

test('the client reads null items, which the API server writes for some empty lists, as an empty list', async () => {
  const pages: unknown[] = [];
  const answer = await client.list(KINDS.pods, {}, (items) => {
    pages.push(...items);
  });
  expect(answer).toEqual({ ok: true, value: '8' });
  expect(pages).toEqual([]);
});
