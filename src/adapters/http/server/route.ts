import type { Readable } from 'node:stream';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify';
import type { TSchema } from 'typebox';
import { isStranger, shownTo } from '#adapters/http/auth/public-access.ts';
import type { RouteRules } from '#adapters/http/auth/route-rules.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { ContentKind } from './security-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    shows?: ContentKind;
    /** What strangers are answered on a path that members share with them. */
    strangers?: TSchema;
    /** Of the answer, in milliseconds. */
    timeLimit?: number;
  }
  interface FastifyInstance {
    /** Throws the problem when who sent the request may no longer come where it went. */
    mayStill(request: FastifyRequest): Promise<void>;
    /** The same for many requests: whoever sent several of them is looked up once. */
    checkRights(): (request: FastifyRequest) => Promise<void>;
    /** Throws the problem when too much was asked for from where a stranger is. */
    admitStranger(request: FastifyRequest): void;
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  rules: RouteRules;
  register(app: App): void;
}

/** A page or a form: what a browser gets at a path, or sends to it, where programs get or send JSON. */
export interface PageRoute {
  register(app: App, routes: readonly Route[]): void;
}

interface BodyReader {
  update(chunk: Uint8Array): void;
  verdict(): unknown;
}

type Handler<S extends FastifySchema> = RouteHandlerMethod<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  RouteGenericInterface,
  unknown,
  S,
  TypeBoxTypeProvider
>;

/** What strangers get instead of what the handler answers to members. */
interface ForStrangers<S extends FastifySchema> {
  /** Nothing else is sent to them, whatever is read. */
  answer: TSchema;
  /** `undefined`: there is nothing, or nothing that is public. */
  read: (request: Parameters<Handler<S>>[0]) => Promise<object | undefined>;
}

interface RouteParts<S extends FastifySchema> extends Pick<Route, 'method' | 'url'>, RouteRules {
  schema: S;
  /** Largest body in bytes; 1 KiB when the path says nothing. */
  bodyLimit?: number;
  /**
   * Longest time until the last byte of the answer, in milliseconds, where the server's own limit is too
   * short.
   */
  timeLimit?: number;
  /** Reads a body of any type piece by piece; its verdict is the handler's `body`. */
  readsBody?: (request: FastifyRequest) => BodyReader;
  /** An image may be embedded anywhere. Pages need not be said: their content type tells. */
  shows?: 'image';
  /**
   * Where the route needs `public`. `same`: the handler shows everyone the same, and checks that they may see
   * it.
   */
  strangers?: ForStrangers<S> | 'same';
  handler: Handler<S>;
}

/** A route whose handler sees what its schema says. */
export function route<const S extends FastifySchema>(parts: RouteParts<S>): Route {
  const { method, url, schema, handler } = parts;
  const rules = rulesOf(parts);
  const strangers = parts.strangers === 'same' ? undefined : parts.strangers;
  if ((rules.needs === 'public') !== (parts.strangers !== undefined))
    throw new Error(`route ${method} ${url} does not say what strangers get, or strangers never come there`);
  return {
    method,
    url,
    rules,
    register(app) {
      const bodyLimit = parts.bodyLimit ?? 1024;
      void app.register(async (scope: App) => {
        if (parts.readsBody !== undefined) readBodies(scope, parts.readsBody, bodyLimit);
        const { shows, timeLimit } = parts;
        const config = {
          rules,
          ...(shows !== undefined && { shows }),
          ...(timeLimit !== undefined && { timeLimit }),
          ...(strangers !== undefined && { strangers: strangers.answer }),
        };
        const instead = preHandlerFor(parts.strangers);
        scope.route({ method, url, schema, handler, config, bodyLimit, ...instead });
      });
    },
  };
}

function rulesOf({ needs, about, audit, beforePasswordChange }: RouteRules): RouteRules {
  return {
    needs,
    about,
    ...(audit !== undefined && { audit }),
    ...(beforePasswordChange !== undefined && { beforePasswordChange }),
  };
}

/** Whatever anyone outside the team may read counts for their address, before anything is looked for. */
function preHandlerFor<S extends FastifySchema>(strangers: ForStrangers<S> | 'same' | undefined) {
  if (strangers === undefined) return {};
  return { preHandler: strangers === 'same' ? admitStrangers : answerStrangers(strangers) };
}

async function admitStrangers(request: FastifyRequest): Promise<void> {
  if (isStranger(request)) request.server.admitStranger(request);
}

/** Before the handler, which strangers never reach. */
function answerStrangers<S extends FastifySchema>({ answer, read }: ForStrangers<S>) {
  // Compiled once for one object.
  const schema = { ...answer };
  return async (
    request: Parameters<Handler<S>>[0],
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    if (!isStranger(request)) return undefined;
    request.server.admitStranger(request);
    const found = shownTo(request, await read(request));
    void reply.header('cache-control', 'no-cache').serializer(reply.compileSerializationSchema(schema));
    return await reply.send(found);
  };
}

function tooLarge(): Problem {
  return new Problem('too-large', 'The body is larger than this path takes.');
}

function readBodies(app: App, readerOf: (request: FastifyRequest) => BodyReader, limit: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) => {
    if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
    return readAll(payload, readerOf(request), limit);
  });
}

/** By events: an asynchronous iteration costs as much as all else that is done for a small body. */
async function readAll(payload: Readable, reader: BodyReader, limit: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let size = 0;
  payload
    .on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) reader.update(chunk);
      else reject(tooLarge());
    })
    .on('end', resolve)
    .on('error', reject);
  await promise;
  return reader.verdict();
}
