import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { refuseCrossSiteSignIn } from '#adapters/http/auth/csrf.ts';
import { hasNoCredentials, identify } from '#adapters/http/auth/identify.ts';
import type { RouteRules } from '#adapters/http/auth/route-rules.ts';
import { answerNotModified } from '#adapters/http/protocol/etag.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { accessLineOf, accessLog } from '#adapters/telemetry/log.ts';
import { auditHook } from './audit-log.ts';
import type { App } from './route.ts';
import { cacheControlOf, type ContentKind, type securityHeaders } from './security-headers.ts';
import type { ServerParts } from './server-parts.ts';
import { timeLimits } from './time-limits.ts';
import { warnOfUntrustedProxies } from './untrusted-proxies.ts';

/** What the hooks need to know about a route. Empty for a path that is not a route. */
interface RouteFacts {
  url?: string;
  rules?: RouteRules;
  content?: ContentKind;
  /** Set if non-members get a response of their own at this path. */
  publicResponse?: object;
  /** Time limit in milliseconds, until the last byte of the response. */
  timeLimit?: number;
}

interface HookParts {
  parts: ServerParts;
  headers: ReturnType<typeof securityHeaders>;
  /** Time limit in milliseconds for routes that set none. */
  timeLimit: number;
  /** Whether the process is too busy to take another request. */
  isOverloaded: () => boolean;
}

interface RouteHooks {
  /** Either calls `done` and returns undefined, or returns a promise to wait for, or throws a problem. */
  onRequest: (
    request: FastifyRequest,
    reply: FastifyReply,
    done: HookHandlerDoneFunction,
  ) => Promise<void> | undefined;
  /** Returns the payload to send. */
  onSend: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => unknown;
  onResponse: (request: FastifyRequest, reply: FastifyReply) => void;
}

/**
 * Adds the hooks that run before and after the handler of a request. Each route gets hooks of its own that
 * know the route, because looking the route up at each request would cost as much as all other work of a
 * hook. Paths without a route share one set of hooks.
 */
export function addRouteHooks(app: App, hookParts: HookParts): void {
  const { audit } = hookParts.parts;
  const hooksOf = hookFactory(app, hookParts);
  const preSerialization = audit && auditHook(audit, () => new Date());
  app.addHook('onRoute', (route) => {
    const { config, method, url } = route;
    if (config?.rules === undefined)
      throw new Error(`route ${String(method)} ${url} does not say who may call it`);
    const { onRequest, onSend, onResponse } = hooksOf({ ...config, url });
    route.onRequest = onRequest;
    // For HEAD, Fastify's own onSend hook removes the body and must stay the last one.
    route.onSend = [
      (request, reply, payload, done) => done(null, onSend(request, reply, payload)),
      ...[route.onSend ?? []].flat(),
    ];
    route.onResponse = (request, reply, done) => {
      onResponse(request, reply);
      done();
    };
    if (preSerialization !== undefined && config.rules.audit !== undefined)
      route.preSerialization = preSerialization;
  });
  addNotFoundHooks(app, hooksOf({}));
}

function addNotFoundHooks(app: App, { onRequest, onSend, onResponse }: RouteHooks): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (request.is404) void onRequest(request, reply, done);
    else done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    done(null, request.is404 ? onSend(request, reply, payload) : payload);
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (request.is404) onResponse(request, reply);
    done();
  });
}

function hookFactory(app: App, { parts, headers, timeLimit, isOverloaded }: HookParts) {
  const limits = timeLimits(app);
  const log = accessLog(parts.log);
  const warnOfProxy = warnOfUntrustedProxies(parts.log, parts.trustedProxies ?? []);
  return ({
    url,
    rules,
    content = 'data',
    publicResponse,
    timeLimit: limit = timeLimit,
  }: RouteFacts): RouteHooks => {
    const varyHeader = publicResponse !== undefined && { vary: 'Accept, Authorization, Cookie' };
    const fixedHeaders = { ...headers[content], ...varyHeader, 'cache-control': cacheControlOf(rules) };
    const authenticate = authenticator(parts, rules);
    return {
      onRequest(request, reply, done) {
        limits.watch(reply, limit);
        warnOfProxy(request.raw);
        void reply.headers(fixedHeaders).header('x-request-id', request.id);
        if (url !== PROBE_PATH && isOverloaded()) throw new Problem('unavailable', OVERLOADED);
        const pending = authenticate(request);
        if (pending === undefined) done();
        return pending;
      },
      onSend(request, reply, payload) {
        if (parts.draining?.() === true) void reply.header('connection', 'close');
        if (isPage(reply)) void reply.headers(headers.page);
        return answerNotModified(request, reply, payload);
      },
      onResponse(request, reply) {
        limits.release(reply);
        log(accessLineOf(request, reply, url));
        const observation = { method: request.method, route: url ?? 'none', status: reply.statusCode };
        parts.observe?.({ ...observation, seconds: reply.elapsedTime / 1000 });
      },
    };
  };
}

const PROBE_PATH = '/health';
const OVERLOADED = 'The server is overloaded. Try again in a second.';

function isPage(reply: FastifyReply): boolean {
  const type = reply.getHeader('content-type');
  return typeof type === 'string' && /^text\/html\b/.test(type);
}

/**
 * Returns a function that sets `request.identity`, or throws a problem if the caller may not call the route.
 * It returns no promise on a route that needs nothing, nor for a request without credentials to a public
 * route.
 */
function authenticator(
  parts: ServerParts,
  rules: RouteRules | undefined,
): (request: FastifyRequest) => Promise<void> | undefined {
  const { browser } = parts;
  const needs = rules?.needs ?? 'nothing';
  if (needs === 'nothing')
    return (request) => {
      if (rules !== undefined && browser !== undefined) refuseCrossSiteSignIn(request, browser);
      return undefined;
    };
  const authenticate = async (request: FastifyRequest): Promise<void> => {
    request.identity = await identify(parts, request, rules);
  };
  // Public routes identify only callers that send credentials.
  return needs === 'public'
    ? (request) => (hasNoCredentials(request) ? undefined : authenticate(request))
    : authenticate;
}
