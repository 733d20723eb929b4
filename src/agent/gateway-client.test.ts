import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { makeCertificate } from '#testing/network/certificate.ts';
import { GatewayClient } from './gateway-client.ts';

const LIMIT_MS = 100;

let server: Server;
let client: GatewayClient;
let answer: (response: ServerResponse) => void;

beforeEach(async () => {
  const certificate = await makeCertificate();
  server = createServer(certificate, (request, response) => {
    request.resume();
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  client = new GatewayClient(new URL(`https://127.0.0.1:${port}`), certificate.cert, 'key', LIMIT_MS);
});

afterEach(async () => {
  jest.useRealTimers();
  client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const never = new AbortController().signal;
const post = (): Promise<unknown> => client.post('/agent/v1/events', '{}');
const follow = (): Promise<void> => client.follow('/agent/v1/commands', () => undefined, never);

const beginResponse = (status: number) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/json' }).write('{');
};

describe('no request of the agent hangs for ever', () => {
  test.each<[string, () => Promise<unknown>, typeof answer]>([
    ['before a response', post, () => undefined],
    ['during a response', post, beginResponse(200)],
    ['before the command stream', follow, () => undefined],
    ['during a refusal of the command stream', follow, beginResponse(503)],
  ])('%s', async (_, request, gatewayAnswer) => {
    answer = gatewayAnswer;
    await expect(request()).rejects.toThrow();
  });
});

test('the command stream may last longer than a response may take', async () => {
  // The limit is reached only when the test advances the fake clock, after the response has begun.
  jest.useFakeTimers({
    doNotFake: ['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'],
  });
  const lines: string[] = [];
  let stream: ServerResponse | undefined;
  answer = (response) => {
    stream = response;
    response.writeHead(200).write('{"command":"stay"}\n');
  };
  await client.follow(
    '/agent/v1/commands',
    (line) => {
      if (lines.push(line) > 1) return;
      jest.advanceTimersByTime(LIMIT_MS * 3);
      stream?.end('{"command":"cancel"}\n');
    },
    never,
  );
  expect(lines).toEqual(['{"command":"stay"}', '{"command":"cancel"}']);
});
