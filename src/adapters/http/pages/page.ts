import { STATUS_CODES } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type, type TSchema } from 'typebox';
import { isNonMember, requireVisible } from '#adapters/http/auth/public-access.ts';
import type { RouteRules } from '#adapters/http/auth/route-rules.ts';
import type { SessionCodec } from '#adapters/http/auth/session-token.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import type { PageRoute, Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { markFormAnswer } from './form-answer.ts';
import type { Html } from './html.ts';
import type { Viewer } from './layout.ts';
import { MAX_FIELD_LENGTH } from './start-form.ts';

/** Redirects the browser and sets these cookies. */
interface Redirect {
  to: string;
  cookies?: readonly string[];
}
export type PageAnswer = Html | Redirect | { status: number; page: Html; cookies?: readonly string[] };

type Values = Readonly<Record<string, string | undefined>>;

export interface PageRequest {
  params: Values;
  query: Values;
  request: FastifyRequest;
}

interface PageParts {
  url: string;
  params?: TSchema;
  answer: (pageRequest: PageRequest) => Promise<PageAnswer>;
  /**
   * Returns the page for non-members, or undefined if nothing exists there or nothing is public. Required if
   * the route at the path of the page needs `public`, otherwise not allowed.
   */
  forPublic?: (pageRequest: PageRequest) => Promise<Html | undefined>;
}

const fieldsOf = (maxLength: number) => Type.Record(Type.String(), Type.String({ maxLength }));

/** Defines a page. The rules of the API route at the same path say who may open it. */
export function page({ url, params, answer, forPublic }: PageParts): PageRoute {
  return {
    register(app, routes) {
      const rules = rulesOf(routes, 'GET', url);
      if ((rules.needs === 'public') !== (forPublic !== undefined))
        throw new Error(`page ${url}: set forPublic if, and only if, its route needs public`);
      app.route({
        method: 'GET',
        url,
        constraints: { medium: 'page' },
        config: { rules },
        schema: { hide: true, ...defined({ params }) },
        handler: async (request, reply) => {
          const pageRequest = { params: texts(request.params), query: texts(request.query), request };
          if (forPublic === undefined || !isNonMember(request)) return send(reply, await answer(pageRequest));
          request.server.limitPublicReads(request);
          return send(reply, requirePublic(request, await forPublic(pageRequest)));
        },
      });
    },
  };
}

/**
 * Returns the page, or throws a problem if there is none for the public. A viewer who has not signed in may
 * be a member, so they are asked to sign in, whether or not the page exists.
 */
function requirePublic(request: FastifyRequest, content: Html | undefined): Html {
  if (content === undefined && request.identity === undefined)
    throw new Problem('unauthenticated', 'Sign in to see the pipelines of your teams.');
  return requireVisible(request, content);
}

interface FormParts {
  url: string;
  /**
   * The API route that the form calls, if its method or URL differs from that of the form. HTML forms can
   * only send GET and POST.
   */
  calls?: { method: string; url: string };
  params?: TSchema;
  /** Limits of a form for long texts, if they differ from `LIMITS`. */
  limits?: { fieldCharacters: number; bodyBytes: number };
  /**
   * The page that has the form cannot be loaded again, so the answer does not get the address of that page.
   */
  isOnce?: true;
  answer: (formRequest: { params: Values; fields: Values; request: FastifyRequest }) => Promise<PageAnswer>;
}

/**
 * Browsers count the end of a line as one character but send two, so a form accepts twice as many characters.
 * The route that the form calls checks the length of the value itself.
 */
const LIMITS = { fieldCharacters: 2 * MAX_FIELD_LENGTH, bodyBytes: 16 * 1024 };

/**
 * Defines a form. The rules of the API route that it calls say who may send it. That route also checks the
 * CSRF token.
 */
export function form({ url, calls, params, limits = LIMITS, isOnce, answer }: FormParts): PageRoute {
  return {
    register(app, routes) {
      // Only the route that the form calls writes the audit log.
      const { audit: _, ...rules } = rulesOf(routes, calls?.method ?? 'POST', calls?.url ?? url);
      app.route({
        method: 'POST',
        url,
        constraints: { medium: 'form' },
        config: { rules, form: true },
        bodyLimit: limits.bodyBytes,
        schema: { hide: true, body: fieldsOf(limits.fieldCharacters), ...defined({ params }) },
        handler: async (request, reply) => {
          const formRequest = { params: texts(request.params), fields: texts(request.body), request };
          const answered = await answer(formRequest);
          return send(reply, isOnce === true ? answered : markAnswer(answered));
        },
      });
    },
  };
}

function markAnswer(answer: PageAnswer): PageAnswer {
  if ('to' in answer) return answer;
  return 'page' in answer ? { ...answer, page: markFormAnswer(answer.page) } : markFormAnswer(answer);
}

function rulesOf(routes: readonly Route[], method: string, url: string): RouteRules {
  const route = routes.find((candidate) => candidate.method === method && candidate.url === url);
  if (route === undefined) throw new Error(`there is no route ${method} ${url} for a page or form`);
  return route.rules;
}

function send(reply: FastifyReply, answer: PageAnswer): FastifyReply {
  void reply.header('cache-control', 'no-store').serializer(String);
  if ('to' in answer) {
    setCookies(reply, answer.cookies);
    return reply
      .code(303)
      .header('location', answer.to)
      .type('text/plain; charset=utf-8')
      .send(STATUS_CODES[303]);
  }
  const {
    status,
    page: content,
    cookies,
  } = 'page' in answer ? answer : { status: 200, page: answer, cookies: [] };
  setCookies(reply, cookies);
  return reply.code(status).type('text/html; charset=utf-8').send(content.text);
}

function setCookies(reply: FastifyReply, cookies: readonly string[] = []): void {
  for (const cookie of cookies) void reply.header('set-cookie', cookie);
}

/** The values as texts, including those that a schema has turned into numbers. */
function texts(values: unknown): Values {
  const textsAndNumbers = Object.entries(Object(values)).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'number',
  );
  return Object.fromEntries(textsAndNumbers.map(([name, value]) => [name, String(value)]));
}

export function viewerOf(
  { identity }: FastifyRequest,
  codec: Pick<SessionCodec, 'csrfToken'>,
): Viewer | undefined {
  if (identity === undefined) return undefined;
  const { user: name, globalAdmin: isAdmin, sessionId = '' } = identity;
  return { name, isAdmin, csrfToken: codec.csrfToken(sessionId) };
}
