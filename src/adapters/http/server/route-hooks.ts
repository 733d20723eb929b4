import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { refuseForeignSignIn } from '#adapters/http/auth/csrf.ts';
import { identify, showsNothing } from '#adapters/http/auth/identify.ts';
import type { RouteRules } from '#adapters/http/auth/route-rules.ts';
import { notModified } from '#adapters/http/protocol/etag.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { answerLog, answerOf } from '#adapters/telemetry/log.ts';
import { auditAnswers } from './audit-log.ts';
import type { App } from './route.ts';
import { cachingOf, type ContentKind, type securityHeaders } from './security-headers.ts';
import type { ServerParts } from './server-parts.ts';
import { timeLimits } from './time-limits.ts';
import { noticeProxies } from './untrusted-proxies.ts';

/** What the requests of a route have in common; of a path that is no route, nothing. */
interface Same {
  url?: string;
  rules?: RouteRules;
  shows?: ContentKind;
  /** Members and strangers get different answers at its address. */
  strangers?: object;
  /** Of the answer, in milliseconds. */
  timeLimit?: number;
}

interface Surroundings {
  parts: ServerParts;
  headers: ReturnType<typeof securityHeaders>;
  /** Where a route says no other. */
  timeLimit: number;
  /** Whether there is too much to do for anything more. */
  isPressed: () => boolean;
}

type Done = HookHandlerDoneFunction;

interface Around {
  /** Calls `done`, or answers with what must be waited for. */
  onRequest: (request: FastifyRequest, reply: FastifyReply, done: Done) => Promise<void> | undefined;
  /** What goes out instead. */
  onSend: (request: FastifyRequest, reply: FastifyReply, payload: unknown) => unknown;
  onResponse: (request: FastifyRequest, reply: FastifyReply) => void;
}

/**
 * What happens to every request before and after its handler. To ask Fastify at each request for its route
 * costs as much as all of this, so each route has functions that know it.
 */
export function surroundRoutes(app: App, surroundings: Surroundings): void {
  const { audit } = surroundings.parts;
  const around = surrounding(app, surroundings);
  const preSerialization = audit && auditAnswers(audit, () => new Date());
  app.addHook('onRoute', (route) => {
    const { config, method, url } = route;
    if (config?.rules === undefined)
      throw new Error(`route ${String(method)} ${url} does not say who may call it`);
    const { onRequest, onSend, onResponse } = around({ ...config, url });
    route.onRequest = onRequest;
    // Of a HEAD, Fastify takes the body away at the end.
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
  surroundTheRest(app, around({}));
}

function surroundTheRest(app: App, { onRequest, onSend, onResponse }: Around): void {
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

function surrounding(app: App, { parts, headers, timeLimit, isPressed }: Surroundings) {
  const limits = timeLimits(app);
  const log = answerLog(parts.log);
  const notice = noticeProxies(parts.log, parts.trustedProxies ?? []);
  return ({ url, rules, shows = 'data', strangers, timeLimit: limit = timeLimit }: Same): Around => {
    const varies = strangers !== undefined && { vary: 'Accept, Authorization, Cookie' };
    const fixed = { ...headers[shows], ...varies, 'cache-control': cachingOf(rules) };
    const letIn = doorman(parts, rules);
    return {
      onRequest(request, reply, done) {
        limits.watch(reply, limit);
        notice(request.raw);
        void reply.headers(fixed).header('x-request-id', request.id);
        if (url !== PROBE && isPressed()) throw new Problem('unavailable', PRESSED);
        const waiting = letIn(request);
        if (waiting === undefined) done();
        return waiting;
      },
      onSend(request, reply, payload) {
        if (parts.draining?.() === true) void reply.header('connection', 'close');
        if (isPage(reply)) void reply.headers(headers.page);
        return notModified(request, reply, payload);
      },
      onResponse(request, reply) {
        limits.release(reply);
        log(answerOf(request, reply, url));
        const facts = { method: request.method, route: url ?? 'none', status: reply.statusCode };
        parts.observe?.({ ...facts, seconds: reply.elapsedTime / 1000 });
      },
    };
  };
}

const PROBE = '/health';
const PRESSED = 'Too much to do at once. Try again in a second.';

function isPage(reply: FastifyReply): boolean {
  const type = reply.getHeader('content-type');
  return typeof type === 'string' && /^text\/html\b/.test(type);
}

/**
 * Who comes, where it matters; whoever may not come is refused. Nothing is waited for where nobody need be
 * asked.
 */
function doorman(
  parts: ServerParts,
  rules: RouteRules | undefined,
): (request: FastifyRequest) => Promise<void> | undefined {
  const { browser } = parts;
  const needs = rules?.needs ?? 'nothing';
  if (needs === 'nothing')
    return (request) => {
      if (rules !== undefined && browser !== undefined) refuseForeignSignIn(request, browser);
      return undefined;
    };
  const ask = async (request: FastifyRequest): Promise<void> => {
    request.identity = await identify(parts, request, rules);
  };
  return needs === 'public' ? (request) => (showsNothing(request) ? undefined : ask(request)) : ask;
}
