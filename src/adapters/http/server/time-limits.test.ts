import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createLog } from '#adapters/telemetry/log.ts';
import type { App, Route } from './route.ts';
import { createServer } from './server.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

function server(handler: Handler, timeLimit?: number): App {
  const rules = { needs: 'nothing' as const, about: 'What this test is about.' };
  const config = { rules, ...(timeLimit !== undefined && { timeLimit }) };
  const testRoute: Route = {
    method: 'GET',
    url: '/slow',
    rules,
    register: (app) => void app.route({ method: 'GET', url: '/slow', config, handler }),
  };
  return createServer({
    routes: [testRoute],
    authenticate: async () => 'anonymous',
    log: createLog('silent', 'test'),
  });
}

/** A handler that has begun and acts when the test tells it to. */
function heldHandler(handle: Handler = async () => 'late') {
  const [begun, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const handler: Handler = async (request, reply) => {
    begun.resolve();
    await finish.promise;
    return await handle(request, reply);
  };
  return { handler, begun: begun.promise, finish: finish.resolve };
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('a request', () => {
  test('gets a 503 after half a minute, and the handler’s own answer is dropped', async () => {
    const { handler, begun, finish } = heldHandler();
    const answer = server(handler).inject('/slow');
    await begun;
    await jest.advanceTimersByTimeAsync(31_000);
    const { statusCode, headers, body } = await answer;
    expect([statusCode, headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(body)).toMatchObject({ type: 'https://millrace.dev/problems/unavailable' });
    finish();
  });

  test('gets an answer that is ready in time', async () => {
    const { handler, begun, finish } = heldHandler();
    const answer = server(handler).inject('/slow');
    await begun;
    await jest.advanceTimersByTimeAsync(29_000);
    finish();
    expect((await answer).body).toBe('late');
  });

  test('has the time limit of its route', async () => {
    const { handler, begun, finish } = heldHandler();
    const answer = server(handler, 120_000).inject('/slow');
    await begun;
    await jest.advanceTimersByTimeAsync(119_000);
    finish();
    expect((await answer).body).toBe('late');
  });

  test('with half an answer is disconnected, so that it does not look complete', async () => {
    const begun = Promise.withResolvers<void>();
    const cut = Promise.withResolvers<void>();
    const app = server(async (_request, reply) => {
      reply.raw.once('close', cut.resolve);
      reply.raw.writeHead(200);
      reply.raw.write('half');
      begun.resolve();
      await cut.promise;
      return reply;
    });
    const answer = app.inject('/slow').catch(() => 'cut off');
    await begun.promise;
    await jest.advanceTimersByTimeAsync(31_000);
    await cut.promise;
    expect(await answer).toBe('cut off');
  });

  test('with a stream has no time limit', async () => {
    const begun = Promise.withResolvers<FastifyReply['raw']>();
    const app = server(async (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200);
      begun.resolve(reply.raw);
      return reply;
    });
    const answer = app.inject('/slow');
    const raw = await begun.promise;
    await jest.advanceTimersByTimeAsync(120_000);
    raw.end('whole');
    expect((await answer).body).toBe('whole');
  });
});
