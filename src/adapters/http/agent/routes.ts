import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server } from 'node:https';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { AgentMetrics } from '#adapters/telemetry/metrics.ts';
import type { DebugWork, IdentityTokensResponse } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { AgentFlows } from './agent-flows.ts';
import type { CommandStreams } from './command-streams.ts';
import {
  CheckResultsBody,
  DebugBody,
  EventsBody,
  IdentityTokensBody,
  SecretsBody,
  storableEvents,
  storableResults,
  storableShells,
  WorkQuery,
} from './messages.ts';
import type { RefusedCalls } from './refused-calls.ts';
import { sessionOver, type Sessions } from './sessions.ts';
import type { WorkStreams } from './work-streams.ts';

export type AgentApp = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface AgentRoutes {
  flows: AgentFlows;
  sessions: Sessions;
  streams: CommandStreams;
  workStreams: WorkStreams;
  refusals: RefusedCalls;
  metrics: AgentMetrics;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read, on the routes that need a session. */
    agent: { keyHash: string; session: AgentSession } | undefined;
    /** Set for each POST whose route needs a session. `handled`: the handler has begun and not ended. */
    bodyInFlight: { handled: boolean; handlerEnded(): void } | undefined;
  }
}

export const MAX_EVENTS_BYTES = 4 * 1024 * 1024;
/**
 * The agent may need several requests for the secrets of one operation. Each of them repeats the results of
 * all gets that the earlier answers asked for, of which there are few.
 */
const MAX_SECRETS_BYTES = 16 * 1024 * 1024;
export const MAX_RESULTS_BYTES = 16 * 1024 * 1024;
const MAX_IDENTITY_BYTES = 1024;
const MAX_DEBUG_BYTES = 4 * 1024 * 1024;

/**
 * Registers the routes that need a session. A hook of the server sets `request.agent` before their handlers
 * run.
 */
export function registerAgentRoutes(app: AgentApp, routes: AgentRoutes): void {
  const { flows, sessions, streams, metrics } = routes;
  app.post(
    '/agent/v1/events',
    { schema: { body: EventsBody }, bodyLimit: MAX_EVENTS_BYTES },
    async ({ agent, body }) => {
      const { keyHash, session } = requireAgent(agent);
      if (session.kind !== 'build') throw new Problem('invalid-request', 'Only a build has events.');
      const answer = await flows.followBuild(session, storableEvents(body));
      metrics.events(body.events.length);
      if (answer === 'over') throw forgetSession(sessions, keyHash);
      return { acknowledged: answer.acknowledged, ...(answer.cancel && { cancel: true }) };
    },
  );

  app.post(
    '/agent/v1/secrets',
    { schema: { body: SecretsBody }, bodyLimit: MAX_SECRETS_BYTES },
    async ({ agent, body, log }) => {
      const { keyHash, session } = requireAgent(agent);
      if (session.kind === 'warm') throw new Problem('invalid-request', 'A warm Pod has no secrets.');
      const answer = await flows.fetchSecrets(session, body);
      if (answer.answer === 'over') throw forgetSession(sessions, keyHash);
      if (answer.answer === 'unknown')
        throw new Problem('invalid-request', 'The work of this agent has no such operation.');
      if (answer.answer === 'wait')
        log.warn({ reason: answer.reason, session }, 'secrets cannot be read yet');
      return answer;
    },
  );

  app.post(
    '/agent/v1/check-results',
    { schema: { body: CheckResultsBody }, bodyLimit: MAX_RESULTS_BYTES },
    async ({ agent, body }) => {
      const { keyHash, session } = requireAgent(agent);
      if (session.kind !== 'checks')
        throw new Problem('invalid-request', 'Only a check run has check results.');
      const answer = await flows.recordVersions(session.run, storableResults(body));
      if (answer === 'over') throw forgetSession(sessions, keyHash);
      if (body.done) sessions.forget(keyHash);
      return {};
    },
  );

  registerIdentityTokens(app, flows, sessions);
  registerDebug(app, flows);

  app.get('/agent/v1/commands', async (request, reply) => {
    const { session } = requireAgent(request.agent);
    reply.hijack();
    streams.open(session, reply.raw);
  });
  registerWork(app, routes);
}

/**
 * Registers the stream of a Pod that waits for work. The session may already be that of a build, if the build
 * took the Pod while its agent was not connected.
 */
function registerWork(app: AgentApp, { workStreams }: AgentRoutes): void {
  app.get('/agent/v1/work', { schema: { querystring: WorkQuery } }, async (request, reply) => {
    const { keyHash, session } = requireAgent(request.agent);
    if (session.kind === 'checks') throw new Problem('invalid-request', 'A check run waits for no work.');
    const { architecture = 'amd64' } = request.query;
    reply.hijack();
    // If a build has taken the Pod already, its work is sent without waiting. No warm Pod has the id 0.
    workStreams.open({ keyHash, architecture, warm: session.kind === 'warm' ? session.warm : 0 }, reply.raw);
  });
}

function registerIdentityTokens(app: AgentApp, flows: AgentRoutes['flows'], sessions: Sessions): void {
  app.post(
    '/agent/v1/identity-tokens',
    { schema: { body: IdentityTokensBody }, bodyLimit: MAX_IDENTITY_BYTES },
    async ({ agent, body, log }): Promise<IdentityTokensResponse> => {
      const { keyHash, session } = requireAgent(agent);
      if (session.kind !== 'build') throw new Problem('invalid-request', 'Only builds have identity tokens.');
      const answer = await flows.issueIdentityTokens(session, body);
      switch (answer.answer) {
        case 'issued':
          log.info({ work: session, step: body.step, tokens: answer.issued }, 'identity tokens were issued');
          return { tokens: answer.tokens };
        case 'refused':
          return { refused: answer.reason };
        case 'over':
          throw forgetSession(sessions, keyHash);
        case 'unavailable':
        default:
          throw new Problem('unavailable', answer.reason);
      }
    },
  );
}

function registerDebug(app: AgentApp, flows: AgentRoutes['flows']): void {
  app.post(
    '/agent/v1/debug',
    { schema: { body: DebugBody }, bodyLimit: MAX_DEBUG_BYTES },
    async ({ agent, body }): Promise<DebugWork> => {
      const { session } = requireAgent(agent);
      if (session.kind !== 'build') throw new Problem('invalid-request', 'Only builds have shells.');
      return await flows.exchangeDebug(session, storableShells(body));
    },
  );
}

function requireAgent(agent: { keyHash: string; session: AgentSession } | undefined) {
  if (agent === undefined) throw sessionOver();
  return agent;
}

/** Removes the session from the cache, and returns the problem that it has ended. */
function forgetSession(sessions: Sessions, keyHash: string): Problem {
  sessions.forget(keyHash);
  return sessionOver();
}
