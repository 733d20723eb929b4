import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import cookie from '@fastify/cookie';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { LogController, type FastifyReply, type FastifyRequest } from 'fastify';
import { authorizeOnce } from '#adapters/http/auth/authorize.ts';
import { identify } from '#adapters/http/auth/identify.ts';
import { stillNeeded } from '#adapters/http/auth/public-access.ts';
import { limitStrangers, STRANGER_LIMITS } from '#adapters/http/auth/rate-limits.ts';
import { Problem, problemOf, sendProblem } from '#adapters/http/protocol/problem.ts';
import { byMedium, mediumOf } from './medium.ts';
import { describeRoutes } from './open-api.ts';
import { watchPressure } from './pressure.ts';
import { requestIds } from './request-id.ts';
import { RequestLog } from './request-log.ts';
import { surroundRoutes } from './route-hooks.ts';
import type { App } from './route.ts';
import { securityHeaders } from './security-headers.ts';
import { answerAtHand } from './serve-cached-image.ts';
import type { ServerParts } from './server-parts.ts';

/** Limits that hold for every request of the public listener. */
const LIMITS = {
  bodyLimit: 1024 * 1024,
  maxParamLength: 200,
  headerBytes: 16 * 1024,
  requestTimeout: 30_000,
  connectionTimeout: 60_000,
  keepAliveTimeout: 75_000,
  timeLimit: 30_000,
  connections: 4096,
};

/**
 * The public HTTP server: every route behind what it needs, everything else refused. A route that does not
 * say who may call it cannot be registered.
 */
export function createServer(parts: ServerParts): App {
  const headers = securityHeaders(parts.externalUrl);
  const idOf = requestIds(parts.trustedProxies ?? []);
  let inFront: InFront | undefined;
  const app = openApp(parts, { headers, idOf, inFront: (...asked) => inFront?.(...asked) ?? false });
  decorate(app, parts);
  void app.register(cookie, { hook: false });
  describeRoutes(app, parts.version ?? '0');
  const isPressed = parts.pressure === undefined ? () => false : watchPressure(app, parts.pressure);
  const { atHand: find } = parts;
  if (find !== undefined) inFront = answerAtHand({ parts, headers, isPressed, find, idOf });
  surroundRoutes(app, { parts, headers, timeLimit: LIMITS.timeLimit, isPressed });
  const refuse = answerOf(parts);
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error);
    if (problem !== error && problem.status >= 500) request.log.error({ err: error }, 'a request failed');
    return refuse(request, reply, problem);
  });
  app.setNotFoundHandler((request, reply) =>
    refuse(request, reply, new Problem('not-found', 'No such path.')),
  );

  for (const route of parts.routes) route.register(app);
  parts.pages?.register(app, parts.routes);
  return app;
}

/** True if it answered. */
type InFront = (request: IncomingMessage, response: ServerResponse) => boolean;

interface Opening {
  headers: ReturnType<typeof securityHeaders>;
  idOf: (request: IncomingMessage) => string;
  inFront: InFront;
}

function openApp(parts: ServerParts, { headers, idOf, inFront }: Opening): App {
  return Fastify({
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: idOf,
    requestIdHeader: false,
    trustProxy: (parts.trustedProxies ?? []).length === 0 ? false : (parts.trustedProxies ?? false),
    return503OnClosing: false,
    bodyLimit: LIMITS.bodyLimit,
    childLoggerFactory: (log, bindings) => new RequestLog(log, bindings),
    serverFactory: (handle) =>
      openHttpServer((request, response) => {
        if (!inFront(request, response)) handle(request, response);
      }),
    routerOptions: { maxParamLength: LIMITS.maxParamLength, constraints: { medium: byMedium } },
    // No hook has run, nor will.
    frameworkErrors: (error, _request, reply) => {
      void sendProblem(
        reply.headers(headers.data).header('x-request-id', reply.request.id),
        problemOf(error),
      );
    },
    clientErrorHandler: answerUnreadable,
  }).withTypeProvider<TypeBoxTypeProvider>();
}

function openHttpServer(listener: RequestListener): Server {
  const { headerBytes, requestTimeout, connectionTimeout, keepAliveTimeout, connections } = LIMITS;
  const server = createHttpServer({ maxHeaderSize: headerBytes, requestTimeout, keepAliveTimeout }, listener);
  server.setTimeout(connectionTimeout);
  server.maxConnections = connections;
  return server;
}

function decorate(app: App, parts: ServerParts): void {
  app.decorateRequest('identity');
  app.decorate('mayStill', async (request: FastifyRequest) => {
    await identify(parts, request, stillNeeded(request));
  });
  app.decorate('checkRights', () => {
    const once = { ...parts, authorize: authorizeOnce(parts.authorize) };
    return async (request: FastifyRequest) => {
      await identify(once, request, stillNeeded(request));
    };
  });
  const limits = parts.strangers ?? STRANGER_LIMITS;
  const admit = limitStrangers(limits, () => performance.now());
  // Apart, so that a page with many badges does not take the lists away from whoever reads it.
  const admitPicture = limitStrangers(limits, () => performance.now());
  app.decorate('admitStranger', ({ ip, routeOptions }: FastifyRequest) =>
    routeOptions.config.shows === 'image' ? admitPicture(ip) : admit(ip),
  );
}

/** Browsers get a page, where there are pages at all. */
function answerOf(parts: ServerParts) {
  const { pages } = parts;
  return (request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply =>
    pages !== undefined && mediumOf(request.raw) !== undefined
      ? pages.sendProblem(request, reply, problem)
      : sendProblem(reply, problem);
}

/**
 * Bytes that are no HTTP request: an answer without their text, and no log line that an attacker could fill.
 */
function answerUnreadable(error: Error, socket: Socket): void {
  if (!socket.writable || ('code' in error && error.code === 'ECONNRESET')) {
    socket.destroy();
    return;
  }
  const status = UNREADABLE[('code' in error && String(error.code)) || ''] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

const UNREADABLE: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
