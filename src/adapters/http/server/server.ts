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
import { authenticateOnce } from '#adapters/http/auth/authenticate.ts';
import { identify } from '#adapters/http/auth/identify.ts';
import { rulesWhileReading } from '#adapters/http/auth/public-access.ts';
import { NO_SUCH_PATH, Problem, sendProblem, toProblem } from '#adapters/http/protocol/problem.ts';
import { describeInvalid } from './describe-invalid.ts';
import { byMedium, mediumOf } from './medium.ts';
import { describeRoutes } from './open-api.ts';
import { watchPressure } from './pressure.ts';
import { limitByAddress, PUBLIC_RATE_LIMITS } from './rate-limits.ts';
import { requestIds } from './request-id.ts';
import { RequestLog } from './request-log.ts';
import { addRouteHooks } from './route-hooks.ts';
import type { App } from './route.ts';
import { securityHeaders } from './security-headers.ts';
import { serveCachedImage } from './serve-cached-image.ts';
import type { ServerParts } from './server-parts.ts';

/** Limits of the public listener: sizes in bytes (`maxParamLength` in characters), times in milliseconds. */
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
 * Creates the public HTTP server. Before each handler it checks who may call the route. A route without rules
 * cannot be registered, and every path without a route gets 404.
 */
export function createServer(parts: ServerParts): App {
  const headers = securityHeaders(parts.externalUrl);
  const idOf = requestIds(parts.trustedProxies ?? []);
  // Set below, because it needs the app, and the app needs a function that calls it.
  let serveFromCache: ServeFromCache | undefined;
  const app = openApp(parts, {
    headers,
    idOf,
    serveFromCache: (...exchange) => serveFromCache?.(...exchange) ?? false,
  });
  decorate(app, parts);
  void app.register(cookie, { hook: false });
  describeRoutes(app, parts.version ?? '0');
  const isOverloaded = parts.pressure === undefined ? () => false : watchPressure(app, parts.pressure);
  const { cachedImages: find } = parts;
  if (find !== undefined) serveFromCache = serveCachedImage({ parts, headers, isOverloaded, find, idOf });
  addRouteHooks(app, { parts, headers, timeLimit: LIMITS.timeLimit, isOverloaded });
  const sendProblemFor = problemSender(parts);
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error, request.routeOptions.bodyLimit);
    if (problem !== error && problem.status >= 500) request.log.error({ err: error }, 'a request failed');
    return sendProblemFor(request, reply, problem);
  });
  app.setNotFoundHandler((request, reply) =>
    sendProblemFor(request, reply, new Problem('not-found', NO_SUCH_PATH)),
  );

  for (const route of parts.routes) route.register(app);
  parts.pages?.register(app, parts.routes);
  return app;
}

/** Returns true if it sent the response. */
type ServeFromCache = (request: IncomingMessage, response: ServerResponse) => boolean;

interface AppParts {
  headers: ReturnType<typeof securityHeaders>;
  idOf: (request: IncomingMessage) => string;
  serveFromCache: ServeFromCache;
}

function openApp(parts: ServerParts, { headers, idOf, serveFromCache }: AppParts): App {
  const { trustedProxies = [] } = parts;
  return Fastify({
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: idOf,
    requestIdHeader: false,
    trustProxy: trustedProxies.length === 0 ? false : trustedProxies,
    return503OnClosing: false,
    // An unknown field of a body is refused, not removed. `verbose` tells `describeInvalid` the known ones.
    ajv: { customOptions: { removeAdditional: false, verbose: true } },
    schemaErrorFormatter: describeInvalid,
    bodyLimit: LIMITS.bodyLimit,
    childLoggerFactory: (log, bindings) => new RequestLog(log, bindings),
    serverFactory: (handle) =>
      openHttpServer((request, response) => {
        if (!serveFromCache(request, response)) handle(request, response);
      }),
    routerOptions: { maxParamLength: LIMITS.maxParamLength, constraints: { medium: byMedium } },
    // Fastify runs no hook for errors of its own, so the headers are set here.
    frameworkErrors: (error, _request, reply) => {
      void sendProblem(
        reply.headers(headers.data).header('x-request-id', reply.request.id),
        toProblem(error),
      );
    },
    clientErrorHandler: answerMalformed,
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
  app.decorate('recheckAccess', async (request: FastifyRequest) => {
    await identify(parts, request, rulesWhileReading(request));
  });
  app.decorate('checkRights', () => {
    const partsWithCache = { ...parts, authenticate: authenticateOnce(parts.authenticate) };
    return async (request: FastifyRequest) =>
      await identify(partsWithCache, request, rulesWhileReading(request));
  });
  const limits = parts.publicRateLimits ?? PUBLIC_RATE_LIMITS;
  const limitOthers = limitByAddress(limits, () => performance.now());
  // Images have a limit of their own, so that a page with many badges does not use up the requests for other
  // data.
  const limitImages = limitByAddress(limits, () => performance.now());
  app.decorate('limitPublicReads', ({ ip, routeOptions }: FastifyRequest) =>
    routeOptions.config.content === 'image' ? limitImages(ip) : limitOthers(ip),
  );
}

const NO_SUCH_PAGE = new Problem('not-found', 'There is no page at this address.');

/** Sends a problem as a page to browsers, if the server has pages. */
function problemSender(parts: ServerParts) {
  const { pages } = parts;
  return (request: FastifyRequest, reply: FastifyReply, problem: Problem): FastifyReply =>
    pages !== undefined && mediumOf(request.raw) !== undefined
      ? pages.sendProblem(request, reply, problem.message === NO_SUCH_PATH ? NO_SUCH_PAGE : problem)
      : sendProblem(reply, problem);
}

/**
 * Answers a request that Node.js cannot parse or that takes too long to arrive. It neither repeats the bytes
 * nor logs them, because an attacker could fill the log.
 */
function answerMalformed(error: Error, socket: Socket): void {
  const code = 'code' in error ? String(error.code) : '';
  if (!socket.writable || code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = STATUS_BY_ERROR_CODE[code] ?? '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

const STATUS_BY_ERROR_CODE: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};
