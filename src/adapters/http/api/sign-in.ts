import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { sessionCookie, type BrowserRules } from '#adapters/http/auth/session-cookie.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { signIn, type OpenedSession } from '#flows/people/sign-in.ts';
import type { AccessPorts } from './access-ports.ts';
import { accountOf, actOf, callerOf, tooManyAttempts } from './caller.ts';
import { body, KeepTokens, Nothing, Password, RolesByTeam, SMALL_BODY, Username } from './request-bodies.ts';
import { answer, Time } from './schemas.ts';

/**
 * How the client gets a session. `token`: in the response, for programs. `cookie`: in a cookie that no script
 * can read.
 */
export const Transport = Type.Optional(Type.Enum(['token', 'cookie']));
export type Transport = 'token' | 'cookie' | undefined;

export const SessionFields = {
  username: Type.String(),
  must_change_password: Type.Boolean(),
  expires_at: Type.Optional(Time),
  /** Absent if the session is in a cookie. */
  token: Type.Optional(Type.String()),
  /** Present if the session is in a cookie. */
  csrf_token: Type.Optional(Type.String()),
};

export function signInRoutes(ports: AccessPorts): Route[] {
  return [methodsRoute(ports), loginRoute(ports), sessionRoute(ports), ...logoutRoutes(ports)];
}

function methodsRoute({ oauth }: AccessPorts): Route {
  const Provider = Type.Object({
    canonical: Type.String(),
    name: Type.String(),
    type: Type.Enum(['OIDC', 'OAuth2']),
    url: Type.String(),
  });
  return route({
    method: 'GET',
    url: '/auth/methods',
    needs: 'nothing',
    about: 'The ways to sign in here.',
    schema: { response: answer({ local: Type.Boolean(), providers: Type.Array(Provider) }) },
    handler: async () => {
      const [local, providers] = await Promise.all([oauth.local(), oauth.providers()]);
      const enabled = providers.filter((provider) => provider.enabled);
      return {
        data: {
          local,
          providers: enabled.map(({ canonical, displayName = canonical, type }) => ({
            canonical,
            name: displayName,
            type,
            url: `/auth/oauth/${canonical}`,
          })),
        },
      };
    },
  });
}

function loginRoute(ports: AccessPorts): Route {
  return route({
    method: 'POST',
    url: '/auth/login',
    needs: 'nothing',
    about:
      'Exchanges a username and a password for a session: a token, or with `"session": "cookie"` a cookie ' +
      'and a `csrf_token`.',
    bodyLimit: SMALL_BODY,
    schema: {
      body: body({ username: Username, password: Password, session: Transport }),
      response: answer(SessionFields),
    },
    handler: async (request, reply) => {
      const { username, password, session } = request.body;
      const result = await signIn({ username, password, caller: callerOf(request) }, ports);
      if (result.answer === 'wait') throw tooManyAttempts(result.seconds);
      if (result.answer === 'local-off') {
        throw new Problem('local-sign-in-off', 'Sign in with one of the providers of GET /auth/methods.');
      }
      if (result.answer === 'failed') {
        throw new Problem('sign-in-failed', 'The username or the password is wrong.');
      }
      return { data: await issueSession(ports, result.session, session, reply) };
    },
  });
}

/**
 * Returns a new session for its owner, with its token. For the transport `cookie`, puts the token into a
 * cookie instead, and ends the session that the browser had before.
 */
export async function issueSession(
  ports: Pick<AccessPorts, 'codec' | 'browser' | 'sessions' | 'now'>,
  session: OpenedSession,
  transport: Transport,
  reply: FastifyReply,
) {
  const { codec, browser } = ports;
  const { username, mustChangePassword, expiresAt } = session;
  const token = await codec.sign(session);
  void reply.header('cache-control', 'no-store');
  const fields = {
    username,
    must_change_password: mustChangePassword,
    ...defined({ expires_at: expiresAt?.toISOString() }),
  };
  if (transport !== 'cookie') return { ...fields, token };
  await endPreviousSession(ports, session, reply.request);
  const cookies = browser.cookies(reply.request);
  void reply.setCookie(cookies.session, token, {
    ...cookies.options,
    ...defined({ expires: expiresAt }),
  });
  return { ...fields, csrf_token: codec.csrfToken(session.id) };
}

/**
 * Ends the session of the browser's present cookie, whatever its account. Nobody could sign out of it after
 * the new cookie has replaced it.
 */
async function endPreviousSession(
  { codec, browser, sessions, now }: Pick<AccessPorts, 'codec' | 'browser' | 'sessions' | 'now'>,
  { username }: OpenedSession,
  request: FastifyRequest,
): Promise<void> {
  const token = sessionCookie(request, browser);
  const previousSession = token === undefined ? undefined : await codec.read(token, now());
  if (previousSession !== undefined) await sessions.endSession(previousSession, { by: username, at: now() });
}

function sessionRoute({ codec }: AccessPorts): Route {
  return route({
    method: 'GET',
    url: '/auth/session',
    needs: 'session',
    beforePasswordChange: true,
    about: 'The user of this session, and its `csrf_token`.',
    schema: {
      response: answer({
        username: Type.String(),
        global_admin: Type.Boolean(),
        must_change_password: Type.Boolean(),
        teams: RolesByTeam,
        csrf_token: Type.String(),
      }),
    },
    handler: async ({ identity }, reply) => {
      const { user, globalAdmin, mustChangePassword = false, teams, sessionId = '' } = accountOf(identity);
      void reply.header('cache-control', 'no-store');
      return {
        data: {
          username: user,
          global_admin: globalAdmin,
          must_change_password: mustChangePassword,
          teams: Object.fromEntries(teams),
          csrf_token: codec.csrfToken(sessionId),
        },
      };
    },
  });
}

function logoutRoutes({ sessions, browser, now }: AccessPorts): Route[] {
  return [
    route({
      method: 'POST',
      url: '/auth/logout',
      needs: 'session',
      beforePasswordChange: true,
      about: 'Ends this session.',
      schema: { response: Nothing },
      handler: async ({ identity }, reply) => {
        const { userId, sessionId: id = '' } = accountOf(identity);
        await sessions.endSession({ id, userId }, actOf(identity, now()));
        clearSessionCookie(reply, browser);
        return reply.code(204).send(undefined);
      },
    }),
    route({
      method: 'POST',
      url: '/auth/logout-everywhere',
      needs: 'session',
      beforePasswordChange: true,
      about:
        'Ends every session of the account, and its API tokens unless the body has `"keep_tokens": ' +
        'true`.',
      bodyLimit: SMALL_BODY,
      schema: { body: Type.Union([body({ keep_tokens: KeepTokens }), Type.Null()]), response: Nothing },
      handler: async ({ identity, body: requestBody }, reply) => {
        const keepTokens = requestBody?.keep_tokens === true;
        await sessions.endSessions(accountOf(identity).userId, keepTokens, actOf(identity, now()));
        clearSessionCookie(reply, browser);
        return reply.code(204).send(undefined);
      },
    }),
  ];
}

function clearSessionCookie(reply: FastifyReply, browser: BrowserRules): void {
  const { session, options } = browser.cookies(reply.request);
  void reply.clearCookie(session, options);
}
