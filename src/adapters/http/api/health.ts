import { Type } from 'typebox';
import { healthOf } from '#adapters/http/server/readiness.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import type { Readiness } from '#adapters/telemetry/metrics-server.ts';

const Health = Type.Object({
  status: Type.Enum(['ok', 'error']),
  db: Type.Enum(['connected', 'disconnected']),
  version: Type.String(),
  error: Type.Optional(Type.String()),
});

export function healthRoutes(readiness: Readiness, version: string): Route[] {
  return [
    route({
      method: 'GET',
      url: '/health',
      needs: 'nothing',
      about: 'Whether this replica can answer: 200, or 503 if it cannot reach the database.',
      schema: { response: { 200: Health, 503: Health } },
      handler: async (_request, reply) => {
        void reply.header('cache-control', 'no-store');
        const { status, body } = await healthOf(readiness, version);
        return reply.code(status).send(body);
      },
    }),
  ];
}
