import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { AgentMetrics } from '#adapters/telemetry/metrics.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { AgentApi } from './agent-api.ts';
import type { CommandStreams } from './command-streams.ts';
import { CheckResultsBody, EventsBody, storableEvents, storableResults } from './messages.ts';
import type { RefusedCalls } from './refused-calls.ts';
import { over, type Sessions } from './sessions.ts';

export type AgentApp = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface AgentRoutes {
  api: AgentApi;
  sessions: Sessions;
  streams: CommandStreams;
  refusals: RefusedCalls;
  metrics: AgentMetrics;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read, on every route except the one that opens a session. */
    agent: { keyHash: string; session: AgentSession } | undefined;
  }
}

export const EVENTS_LIMIT = 4 * 1024 * 1024;
export const RESULTS_LIMIT = 16 * 1024 * 1024;

/** Registers the routes that need a session; a hook of the server has put it into the request. */
export function registerAgentRoutes(app: AgentApp, { api, sessions, streams, metrics }: AgentRoutes): void {
  app.post(
    '/agent/v1/events',
    { schema: { body: EventsBody }, bodyLimit: EVENTS_LIMIT },
    async ({ agent, body }) => {
      const { keyHash, session } = known(agent);
      if (session.kind !== 'build') throw new Problem('invalid-request', 'A check run has no events.');
      const answer = await api.applyEvents(session, storableEvents(body));
      metrics.events(body.events.length);
      if (answer === 'over') throw forgotten(sessions, keyHash);
      return { acknowledged: answer.acknowledged, ...(answer.cancel && { cancel: true }) };
    },
  );

  app.post(
    '/agent/v1/check-results',
    { schema: { body: CheckResultsBody }, bodyLimit: RESULTS_LIMIT },
    async ({ agent, body }) => {
      const { keyHash, session } = known(agent);
      if (session.kind !== 'checks') throw new Problem('invalid-request', 'A build has no check results.');
      const answer = await api.recordChecks(session, storableResults(body));
      if (answer === 'over') throw forgotten(sessions, keyHash);
      if (body.done) sessions.forget(keyHash);
      return {};
    },
  );

  app.get('/agent/v1/commands', async (request, reply) => {
    const { session } = known(request.agent);
    reply.hijack();
    streams.open(session, reply.raw);
  });
}

function known(agent: { keyHash: string; session: AgentSession } | undefined) {
  if (agent === undefined) throw over();
  return agent;
}

function forgotten(sessions: Sessions, keyHash: string): Problem {
  sessions.forget(keyHash);
  return over();
}
