import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createLog } from '#adapters/telemetry/log.ts';
import type { App, Route } from './route.ts';
import { createServer } from './server.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

function server(handler: Handler, timeLimit?: number): App {
  const rules = { needs: 'nothing' as const, about: 'What this test is about.' };
  const config = { rules, ...(timeLimit !== undefined && { timeLimit }) };
  const one: Route = {
    method: 'GET',
    url: '/slow',
    rules,
    register: (app) => void app.route({ method: 'GET', url: '/slow', config, handler }),
  };
  return createServer({
    routes: [one],
    authorize: async () => 'anonymous',
    log: createLog('silent', 'test'),
  });
}

/** A handler that began, and does what it is told when it is told. */
function held(then: Handler = async () => 'late') {
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const handler: Handler = async (request, reply) => {
    begun.resolve();
    await go.promise;
    return await then(request, reply);
  };
  return { handler, begun: begun.promise, go: go.resolve };
}

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'Date'] });
});
afterEach(() => {
  jest.useRealTimers();
});

describe('who waits for an answer', () => {
  test('is told after half a minute that there is none, and the handler’s own answer is dropped', async () => {
    const { handler, begun, go } = held();
    const answer = server(handler).inject('/slow');
    await begun;
    await jest.advanceTimersByTimeAsync(31_000);
    const { statusCode, headers, body } = await answer;
    expect([statusCode, headers['retry-after']]).toEqual([503, '1']);
    expect(JSON.parse(body)).toMatchObject({ type: 'https://millrace.dev/problems/unavailable' });
    go();
  });

  test('gets the answer where it comes in time', async () => {
    const { handler, begun, go } = held();
    const answer = server(handler).inject('/slow');
    await begun;
    await jest.advanceTimersByTimeAsync(29_000);
    go();
    expect((await answer).body).toBe('late');
  });

  test('waits as long as the route says', async () => {
    const { handler, begun, go } = held();
    const answer = server(handler, 120_000).inject('/slow');
    await begun;
    await jest.advanceTimersByTimeAsync(119_000);
    go();
    expect((await answer).body).toBe('late');
  });

  test('of half an answer is cut off, so that it is not taken for a whole one', async () => {
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

  test('of a stream that has taken over is left alone', async () => {
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
