import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, test } from '@jest/globals';
import { closeApp, listen } from './listen.ts';

test('the end does not wait for a client that keeps its connection after an answer that was under way', async () => {
  const server = createServer({ keepAliveTimeout: 600_000 });
  await listen(server, { host: '127.0.0.1', port: 0 });
  const address = server.address();
  const agent = new Agent({ keepAlive: true });
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const asking = get(url, { agent });
  const asked: ServerResponse[] = [];
  server.on('request', (_request, response) => asked.push(response));
  await once(server, 'request');
  const [response] = asked;
  response?.write('the head is out, and says that the connection stays; ');
  const [answer]: IncomingMessage[] = await once(asking, 'response');
  const closed = closeApp({
    server,
    close: async () =>
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      }),
  });
  response?.end('and here is the rest');
  expect(await answer?.toArray()).toHaveLength(2);
  await closed;
  agent.destroy();
});
