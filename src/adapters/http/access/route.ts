import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  FastifySchema,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from 'fastify';
import { Problem } from '#adapters/http/problem.ts';
import type { Identity } from './authorize.ts';
import type { Role } from './roles.ts';

/**
 * What a caller needs. A role counts in the team that the path names, never in one that a body or query names. `nothing` is for
 * paths that say nothing of anyone, or whose path is itself the secret.
 */
export type Need = Role | 'nothing';

declare module 'fastify' {
  interface FastifyContextConfig {
    needs?: Need;
  }
  interface FastifyRequest {
    /** Set before the handler runs, on every route that needs a role. */
    identity: Identity | undefined;
  }
}

export type App = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** One line of the table of routes. */
export interface Route {
  method: 'GET' | 'POST';
  url: string;
  needs: Need;
  register(app: App): void;
}

interface RouteParts<S extends FastifySchema> extends Pick<Route, 'method' | 'url' | 'needs'> {
  schema: S;
  /** Largest body in bytes; 1 KiB when the path says nothing. */
  bodyLimit?: number;
  /** Longest time until the last byte of the answer, in milliseconds, where the server's own limit is too short. */
  handlerTimeout?: number;
  /** Bodies of any type are read to their end and thrown away. */
  ignoresBody?: boolean;
  handler: RouteHandlerMethod<
    RawServerDefault,
    RawRequestDefaultExpression,
    RawReplyDefaultExpression,
    RouteGenericInterface,
    unknown,
    S,
    TypeBoxTypeProvider
  >;
}

/** A route whose handler sees what its schema says. */
export function route<const S extends FastifySchema>(parts: RouteParts<S>): Route {
  const { method, url, needs, schema, handler } = parts;
  return {
    method,
    url,
    needs,
    register(app) {
      const bodyLimit = parts.bodyLimit ?? 1024;
      void app.register(async (scope: App) => {
        if (parts.ignoresBody === true) ignoreBodies(scope, bodyLimit);
        const limits = parts.handlerTimeout === undefined ? {} : { handlerTimeout: parts.handlerTimeout };
        scope.route({ method, url, schema, handler, config: { needs }, bodyLimit, ...limits });
      });
    },
  };
}

function tooLarge(): Problem {
  return new Problem('too-large', 'The body is larger than this path takes.');
}

function ignoreBodies(app: App, limit: number): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', async (request: FastifyRequest, payload: AsyncIterable<Buffer>) => {
    let size = 0;
    if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
    for await (const chunk of payload) {
      size += chunk.length;
      if (size > limit) throw tooLarge();
    }
  });
}
