import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { load } from './load.ts';

const server = createServer((request, response) => {
  if (request.url === '/closed') request.socket.destroy();
  else response.writeHead(request.url === '/broken' ? 500 : 200, { 'content-length': '0' }).end();
});
let base: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  base = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
});
afterAll(() => void server.close());

test('a load that goes well counts its answers', async () => {
  const requests = [{ path: '/' }, { path: '/' }, { path: '/' }];
  expect(await load(base, { connections: 2, requests })).toMatchObject({ answers: 3 });
});

test.each([
  ['an unexpected answer', '/broken', '/broken was answered 500.'],
  ['a closed connection', '/closed', 'The connection was closed.'],
])('%s ends a load at once, however long it should run', async (_name, path, message) => {
  const settings = { connections: 3, seconds: 3600, requests: [{ path: '/' }, { path: '/' }, { path }] };
  await expect(load(base, settings)).rejects.toThrow(message);
});
