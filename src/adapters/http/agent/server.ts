import { randomUUID } from 'node:crypto';
import { Transform, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import { Problem, sendProblem, toProblem } from '#adapters/http/protocol/problem.ts';
import { namedPlugin } from '#adapters/http/server/named-plugin.ts';
import { healthOf } from '#adapters/http/server/readiness.ts';
import { accessLineOf, accessLog } from '#adapters/telemetry/log.ts';
import type { Readiness } from '#adapters/telemetry/metrics-server.ts';
import type { AgentMetrics, ObserveRequest } from '#adapters/telemetry/metrics.ts';
import type { SessionStore } from '#flows/builds/session-ports.ts';
import type { AgentFlows, BuildHints, WarmHints } from './agent-flows.ts';
import { BodiesInFlight, type BodyInFlight } from './bodies-in-flight.ts';
import type { TlsCertificate } from './certificate.ts';
import { CommandStreams } from './command-streams.ts';
import { RefusedCalls } from './refused-calls.ts';
import { registerAgentRoutes, type AgentApp, type AgentRoutes } from './routes.ts';
import { registerSessionRoute } from './session-route.ts';
import { Sessions } from './sessions.ts';
import { WorkStreams } from './work-streams.ts';

export interface AgentServerParts {
  flows: AgentFlows;
  sessions: Pick<SessionStore, 'sessionOf'>;
  /** Notifies that a build may have been cancelled. */
  cancels: BuildHints;
  /** Notifies that a person's shell has something for the agent of its build. */
  debugs: BuildHints;
  warmPods: WarmHints;
  certificate: TlsCertificate;
  log: FastifyBaseLogger;
  metrics: AgentMetrics;
  readiness: Readiness;
  /** Once true, each response closes its connection, so that agents connect to another replica. */
  draining?: () => boolean;
  version: string;
  observe?: ObserveRequest;
}

/**
 * Creates the HTTPS server for agents. All routes except those for health and for opening a session need the
 * key of a session.
 */
export function createAgentServer(parts: AgentServerParts): AgentApp {
  const { flows, cancels, debugs, warmPods, metrics, log } = parts;
  const app = fastifyFor(parts);
  const sessions = new Sessions((keyHash) => parts.sessions.sessionOf(keyHash));
  const streams = new CommandStreams({
    flows,
    cancels,
    debugs,
    metrics,
    failed: (error) => log.error({ err: error }, 'a cancel could not be looked up'),
  });
  const failed = (error: unknown): void => log.error({ err: error }, 'the work of a warm Pod is unknown');
  const workStreams = new WorkStreams({ flows, sessions, warmPods, metrics, failed });
  const refusals = new RefusedCalls();
  const routes = { flows, sessions, streams, workStreams, metrics, refusals };

  app.decorateRequest('agent');
  app.decorateRequest('bodyInFlight');
  app.addHook('onRequest', async (_request, reply) => {
    if (parts.draining?.() === true) void reply.header('connection', 'close');
  });
  app.addHook('preParsing', async (request, _reply, payload) => {
    const encoding = request.headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') return payload;
    if (encoding !== 'gzip') throw new Problem('unsupported-type', 'Send the body plain or as gzip.');
    return inflate(payload);
  });
  logResponses(app, parts);
  app.addHook('preClose', async () => {
    streams.closeAll();
    workStreams.closeAll();
  });
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error);
    if (problem !== error && problem.status >= 500)
      request.log.error({ err: error }, 'a request of an agent failed');
    return sendProblem(reply, problem);
  });
  app.setNotFoundHandler((_request, reply) => sendProblem(reply, new Problem('not-found', 'No such path.')));

  app.get('/health', async (_request, reply) => {
    const { status, body } = await healthOf(parts.readiness, parts.version);
    return reply.code(status).send(body);
  });
  registerSessionRoute(app, routes);
  registerRoutesWithSession(app, routes);
  return app;
}

function fastifyFor({ certificate, log }: AgentServerParts): AgentApp {
  return Fastify({
    https: { ...certificate, ALPNProtocols: ['http/1.1'], maxHeaderSize: 16 * 1024 },
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    return503OnClosing: false,
    requestTimeout: 60_000,
    keepAliveTimeout: 120_000,
    exposeHeadRoutes: false,
    // Bodies are validated as sent: no field is converted to another type, dropped or added.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, useDefaults: false } },
    frameworkErrors: (error, _request, reply) => {
      void sendProblem(reply, toProblem(error));
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
}

function logResponses(app: AgentApp, { log, observe }: AgentServerParts): void {
  const logAnswer = accessLog(log);
  app.addHook('onResponse', async (request, reply) => {
    const answer = accessLineOf(request, reply, request.routeOptions.url);
    logAnswer(answer);
    observe?.({ ...answer, seconds: reply.elapsedTime / 1000 });
  });
}

/** Registers the routes that need a session, with the hooks that identify it and count the bodies. */
function registerRoutesWithSession(app: AgentApp, routes: AgentRoutes): void {
  const { sessions, refusals } = routes;
  const identify = async (authorization: string | undefined, peer: string) => {
    const settle = refusals.begin(peer);
    let refused = false;
    try {
      return await sessions.identify(authorization);
    } catch (error) {
      refused = toProblem(error).status === 401;
      throw error;
    } finally {
      settle(refused);
    }
  };
  const bodies = new BodiesInFlight();
  const register = async (scope: AgentApp): Promise<void> => {
    scope.addHook('onRequest', async (request) => {
      const { authorization } = request.headers;
      // The agent shares the address of its Pod with the steps, whose calls may be refused. So a call with a
      // known key is exempt from the limit: otherwise steps could block their agent.
      if (sessions.isCached(authorization)) request.agent = await sessions.identify(authorization);
      else request.agent = await identify(authorization, request.socket.remoteAddress ?? '');
    });
    // Counts the bytes of the body after decompression, even if the body turns out to be invalid.
    scope.addHook('preParsing', async (request, reply, payload) => {
      const { agent, method } = request;
      if (agent === undefined || method !== 'POST') return payload;
      const body = bodies.begin(agent.keyHash);
      endWithHandler(body, request, reply);
      return countBytes(payload, (bytes) => {
        sessions.countBytes(agent.keyHash, bytes);
        body.add(bytes);
      });
    });
    scope.addHook('preHandler', async ({ bodyInFlight }) => {
      if (bodyInFlight !== undefined) bodyInFlight.handled = true;
    });
    scope.addHook('onSend', async ({ bodyInFlight }) => bodyInFlight?.handlerEnded());
    registerAgentRoutes(scope, routes);
  };
  void app.register(namedPlugin('routes of agents', register));
}

/**
 * Ends a body when its memory is free: its response has closed, and its handler, if it has begun, has ended.
 */
function endWithHandler(body: BodyInFlight, request: FastifyRequest, reply: FastifyReply): void {
  let closed = false;
  const inFlight = {
    handled: false,
    handlerEnded: (): void => {
      inFlight.handled = false;
      if (closed) body.end();
    },
  };
  request.bodyInFlight = inFlight;
  reply.raw.once('close', () => {
    closed = true;
    if (!inFlight.handled) body.end();
  });
}

/**
 * `receivedEncodedLength` is the number of bytes that arrived, before decompression. Fastify compares it with
 * Content-Length.
 */
type Payload = Readable & { receivedEncodedLength?: number };

/** Reports the length of each part of a body. If `report` throws, reading the body ends with that error. */
function countBytes(payload: Payload, report: (bytes: number) => void): Payload {
  let receivedBytes = 0;
  const counter = new Transform({
    transform(chunk: Buffer, _encoding, next) {
      receivedBytes += chunk.length;
      try {
        report(chunk.length);
        next(null, chunk);
      } catch (error) {
        next(Error.isError(error) ? error : new Error(String(error)));
      }
    },
  });
  payload.once('error', (error) => counter.destroy(error));
  return Object.defineProperty(payload.pipe(counter), 'receivedEncodedLength', {
    get: () => payload.receivedEncodedLength ?? receivedBytes,
  });
}

/**
 * Decompresses a body. Fastify compares its size limit with the decompressed bytes, and Content-Length with
 * the bytes that arrived.
 */
function inflate(payload: Readable): Readable & { receivedEncodedLength: number } {
  const inflatedBody = Object.assign(createGunzip(), { receivedEncodedLength: 0 });
  payload.on('data', (chunk: Buffer) => {
    inflatedBody.receivedEncodedLength += chunk.length;
  });
  payload.once('error', (error) => inflatedBody.destroy(error));
  return payload.pipe(inflatedBody);
}
