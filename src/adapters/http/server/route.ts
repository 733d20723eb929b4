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
import { isNonMember, requireVisible } from '#adapters/http/auth/public-access.ts';
import type { RouteRules } from '#adapters/http/auth/route-rules.ts';
import { tooLarge } from '#adapters/http/protocol/problem.ts';
import { defined } from '#defined';
import type { Identity } from '#domain/access/decide-access.ts';
import { refuseFields } from './describe-invalid.ts';
import { namedPlugin } from './named-plugin.ts';
import type { ContentKind } from './security-headers.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    content?: ContentKind;
    /** Schema of the response that non-members get on a path that they share with members. */
    publicResponse?: TSchema;
    /** Time limit in milliseconds, until the last byte of the response. */
    timeLimit?: number;
  }
  interface FastifyInstance {
    /** Throws a problem if the caller may no longer read what the request asked for. */
    recheckAccess(request: FastifyRequest): Promise<void>;
    /**
     * Returns a check like `recheckAccess` for one round over many requests. The check looks each credential
     * up only once, and returns the current identity of the caller.
     */
    checkRights(): (request: FastifyRequest) => Promise<Identity | undefined>;
    /** Throws a problem if the address of a non-member has made too many requests. */
    limitPublicReads(request: FastifyRequest): void;
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

/** A page, or the handler of a form, at a path where programs get or send JSON. */
export interface PageRoute {
  register(app: App, routes: readonly Route[]): void;
}

/** Reads one request body, chunk by chunk. `verdict` is called after the last chunk. */
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

/** What non-members get instead of what the handler returns to members. */
interface ForPublic<S extends FastifySchema> {
  /** Schema of the response to non-members. A field that it lacks is not sent, whatever `read` returns. */
  response: TSchema;
  /** Returns undefined if nothing exists there, or nothing public. */
  read: (request: Parameters<Handler<S>>[0]) => Promise<object | undefined>;
}

interface RouteParts<S extends FastifySchema> extends Pick<Route, 'method' | 'url'>, RouteRules {
  schema: S;
  /** Largest body in bytes; 1 KiB if absent. */
  bodyLimit?: number;
  /**
   * Time limit in milliseconds, until the last byte of the response, if the server's own limit is too short.
   */
  timeLimit?: number;
  /** Reads a body of any content type in chunks. The handler gets the verdict of the reader as `body`. */
  bodyReader?: (request: FastifyRequest) => BodyReader;
  /**
   * `image`: any site may embed the response. Pages need no mark, because their content type shows what they
   * are.
   */
  content?: 'image';
  /**
   * Required if the route needs `public`, otherwise not allowed. `same`: the handler also answers
   * non-members, and checks that they may see the data.
   */
  forPublic?: ForPublic<S> | 'same';
  handler: Handler<S>;
}

/** Defines a route; the schema gives the handler its types. */
export function route<const S extends FastifySchema>(parts: RouteParts<S>): Route {
  const { method, url, schema, handler } = parts;
  const rules = rulesOf(parts);
  const publicResponse = parts.forPublic === 'same' ? undefined : parts.forPublic?.response;
  if ((rules.needs === 'public') !== (parts.forPublic !== undefined))
    throw new Error(`route ${method} ${url}: set forPublic if, and only if, it needs public`);
  return {
    method,
    url,
    rules,
    register(app) {
      const bodyLimit = parts.bodyLimit ?? 1024;
      const add = async (scope: App): Promise<void> => {
        if (parts.bodyReader !== undefined) readBodies(scope, parts.bodyReader, bodyLimit);
        const { content, timeLimit } = parts;
        const config = {
          rules,
          ...defined({ content, timeLimit, publicResponse }),
        };
        const preHandler = preHandlerFor(parts.forPublic);
        const takesBody = schema.body !== undefined || parts.bodyReader !== undefined;
        const preValidation = takesBody ? {} : { preValidation: refuseFields };
        scope.route({ method, url, schema, handler, config, bodyLimit, ...preValidation, ...preHandler });
      };
      void app.register(namedPlugin(`${method} ${url}`, add));
    },
  };
}

function rulesOf({ needs, about, audit, beforePasswordChange }: RouteRules): RouteRules {
  return {
    needs,
    about,
    ...defined({ audit, beforePasswordChange }),
  };
}

/**
 * Returns the option `preHandler` of a route that needs `public`, and no option for other routes. Its hook
 * counts the request of a non-member against the limit of its address before it looks up anything about the
 * path.
 */
function preHandlerFor<S extends FastifySchema>(forPublic: ForPublic<S> | 'same' | undefined) {
  if (forPublic === undefined) return {};
  return { preHandler: forPublic === 'same' ? limitNonMembers : answerNonMembers(forPublic) };
}

async function limitNonMembers(request: FastifyRequest): Promise<void> {
  if (isNonMember(request)) request.server.limitPublicReads(request);
}

/** Returns a hook that answers non-members, so that only members reach the handler of the route. */
function answerNonMembers<S extends FastifySchema>({ response, read }: ForPublic<S>) {
  // Fastify caches the compiled serializer under this object, so each route uses one object of its own.
  const schema = { ...response };
  return async (
    request: Parameters<Handler<S>>[0],
    reply: FastifyReply,
  ): Promise<FastifyReply | undefined> => {
    if (!isNonMember(request)) return undefined;
    request.server.limitPublicReads(request);
    const body = requireVisible(request, await read(request));
    void reply.header('cache-control', 'no-cache').serializer(reply.compileSerializationSchema(schema));
    return await reply.send(body);
  };
}

function readBodies(app: App, readerOf: (request: FastifyRequest) => BodyReader, limit: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) => {
    if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
    return readAll(payload, readerOf(request), limit);
  });
}

/** Reads by events, because asynchronous iteration would double the cost of a small body. */
async function readAll(payload: Readable, reader: BodyReader, limit: number): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let size = 0;
  payload
    .on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) reader.update(chunk);
      else reject(tooLarge(limit));
    })
    .on('end', resolve)
    .on('error', reject);
  await promise;
  return reader.verdict();
}
