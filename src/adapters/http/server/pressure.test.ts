import { describe, expect, test } from '@jest/globals';
import { publicRoutes } from '#adapters/http/routes.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { inMemoryPorts } from '#testing/http/in-memory-ports.ts';
import type { PressureLimits } from './pressure.ts';
import type { App } from './route.ts';
import { createServer } from './server.ts';

function server(pressure: PressureLimits): App {
  return createServer({
    routes: publicRoutes(inMemoryPorts(), async () => undefined, '0'),
    authenticate: async () => 'anonymous',
    log: createLog('silent', 'test'),
    pressure,
  });
}

/** Sends a request after the first measurement of heap and event loop, which takes up to two seconds. */
async function answerAfterMeasurement(app: App, url: string) {
  await app.ready();
  for (;;) {
    const { heapUsed, eventLoopDelay } = app.memoryUsage();
    if (heapUsed > 0 && Number.isFinite(eventLoopDelay)) return await app.inject(url);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

const TIGHT: Record<string, PressureLimits> = {
  'whose heap is full': { delay: 1e9, heapBytes: 1 },
  'whose event loop lags': { delay: Number.MIN_VALUE, heapBytes: 1e15 },
};

describe('a process', () => {
  test.each(Object.entries(TIGHT))(
    '%s answers 503 at once with a Retry-After header',
    async (_name, limits) => {
      const app = server(limits);
      const answer = await answerAfterMeasurement(app, '/openapi.json');
      expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '1']);
      expect(answer.headers).toMatchObject({
        'content-type': 'application/problem+json; charset=utf-8',
        'x-content-type-options': 'nosniff',
      });
      expect(answer.json()).toMatchObject({
        type: 'https://millrace.dev/problems/unavailable',
        detail: 'The server is overloaded. Try again in a second.',
      });
      expect((await app.inject('/health')).statusCode).toBe(200);
      await app.close();
    },
  );

  test('within its limits answers normally', async () => {
    const app = server({ delay: 1e9, heapBytes: 1e15 });
    expect((await answerAfterMeasurement(app, '/openapi.json')).statusCode).toBe(200);
    await app.close();
  });

  test('that started slowly does not count as lagging', async () => {
    const app = server({ delay: 500, heapBytes: 1e15 });
    void app.register(async () => {
      const end = performance.now() + 1100;
      while (performance.now() < end) void 0;
    });
    await app.ready();
    while (app.memoryUsage().heapUsed === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(app.memoryUsage().eventLoopDelay).toBe(Infinity);
    expect((await app.inject('/openapi.json')).statusCode).toBe(200);
    await app.close();
  });
});
