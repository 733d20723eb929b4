import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type, type TSchema } from 'typebox';
import { isStranger, shownTo } from '#adapters/http/auth/public-access.ts';
import type { RouteRules } from '#adapters/http/auth/route-rules.ts';
import type { SessionCodec } from '#adapters/http/auth/session-token.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { PageRoute, Route } from '#adapters/http/server/route.ts';
import type { Html } from './html.ts';
import type { Viewer } from './layout.ts';

/** Where the browser goes next, with these cookies. */
interface Redirect {
  to: string;
  cookies?: readonly string[];
}
export type PageAnswer = Html | Redirect | { status: number; page: Html; cookies?: readonly string[] };

type Values = Readonly<Record<string, string | undefined>>;

export interface AskedPage {
  params: Values;
  query: Values;
  request: FastifyRequest;
}

interface PageParts {
  url: string;
  params?: TSchema;
  answer: (asked: AskedPage) => Promise<PageAnswer>;
  /**
   * What strangers get instead, where the route needs `public`; `undefined`: nothing is there, or nothing
   * that is public.
   */
  strangers?: (asked: AskedPage) => Promise<Html | undefined>;
}

const Any = Type.Record(Type.String(), Type.String({ maxLength: 2048 }));

/** A page needs what the route at its path needs. */
export function page({ url, params, answer, strangers }: PageParts): PageRoute {
  return {
    register(app, routes) {
      const rules = rulesOf(routes, 'GET', url);
      if ((rules.needs === 'public') !== (strangers !== undefined))
        throw new Error(`page ${url} does not say what strangers get, or strangers never come there`);
      app.route({
        method: 'GET',
        url,
        constraints: { medium: 'page' },
        config: { rules },
        schema: { hide: true, ...(params !== undefined && { params }) },
        handler: async (request, reply) => {
          const asked = { params: texts(request.params), query: texts(request.query), request };
          if (strangers === undefined || !isStranger(request)) return send(reply, await answer(asked));
          request.server.admitStranger(request);
          return send(reply, forStranger(request, await strangers(asked)));
        },
      });
    },
  };
}

/** Whoever is nobody yet may be somebody who is shown it: they are asked to sign in, whatever is there. */
function forStranger(request: FastifyRequest, shown: Html | undefined): Html {
  if (shown === undefined && request.identity === undefined)
    throw new Problem('unauthenticated', 'Sign in to see what is of your teams.');
  return shownTo(request, shown);
}

interface FormParts {
  url: string;
  /** The route that does it, when it is another: forms know only POST. */
  does?: { method: string; url: string };
  params?: TSchema;
  answer: (sent: { params: Values; fields: Values; request: FastifyRequest }) => Promise<PageAnswer>;
}

const LARGEST_FORM = 16 * 1024;

/** What the action needs, its form needs; the action itself looks at the proof that the form is ours. */
export function form({ url, does, params, answer }: FormParts): PageRoute {
  return {
    register(app, routes) {
      // The action is recorded by its route, not by the form.
      const { audit: _, ...rules } = rulesOf(routes, does?.method ?? 'POST', does?.url ?? url);
      app.route({
        method: 'POST',
        url,
        constraints: { medium: 'form' },
        config: { rules, form: true },
        bodyLimit: LARGEST_FORM,
        schema: { hide: true, body: Any, ...(params !== undefined && { params }) },
        handler: async (request, reply) => {
          const sent = { params: texts(request.params), fields: texts(request.body), request };
          return send(reply, await answer(sent));
        },
      });
    },
  };
}

function rulesOf(routes: readonly Route[], method: string, url: string): RouteRules {
  const route = routes.find((one) => one.method === method && one.url === url);
  if (route === undefined) throw new Error(`there is no route ${method} ${url} for a page or form`);
  return route.rules;
}

function send(reply: FastifyReply, answer: PageAnswer): FastifyReply {
  void reply.header('cache-control', 'no-store').serializer(String);
  if ('to' in answer) {
    keepCookies(reply, answer.cookies);
    return reply
      .code(303)
      .header('location', answer.to)
      .type('text/plain; charset=utf-8')
      .send(STATUS_CODES[303]);
  }
  const {
    status,
    page: shown,
    cookies,
  } = 'page' in answer ? answer : { status: 200, page: answer, cookies: [] };
  keepCookies(reply, cookies);
  return reply.code(status).type('text/html; charset=utf-8').send(shown.text);
}

function keepCookies(reply: FastifyReply, cookies: readonly string[] = []): void {
  for (const cookie of cookies) void reply.header('set-cookie', cookie);
}

/** Paths, queries and forms hold texts; what a schema made a number of is one again. */
function texts(values: unknown): Values {
  const known = Object.entries(Object(values)).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'number',
  );
  return Object.fromEntries(known.map(([name, value]) => [name, String(value)]));
}

export function viewerOf(
  { identity }: FastifyRequest,
  codec: Pick<SessionCodec, 'csrfToken'>,
): Viewer | undefined {
  if (identity === undefined) return undefined;
  return { name: identity.user, csrfToken: codec.csrfToken(identity.sessionId ?? '') };
}
