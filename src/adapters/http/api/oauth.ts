import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import type { SignInMethodsAnswer } from '#flows/people/oauth-ports.ts';
import {
  completeProfile,
  finishFlow,
  startFlow,
  type FlowFinished,
  type FlowStarted,
} from '#flows/people/oauth-sign-in.ts';
import { setLocalSignIn, unlink } from '#flows/people/sign-in-methods.ts';
import type { AccessPorts } from './access-ports.ts';
import { accountOf, actOf, callerOf, requireRecentSignIn } from './caller.ts';
import { requireExists } from './found.ts';
import { body, FullName, Nothing, SMALL_BODY, Username } from './request-bodies.ts';
import { answer, answerList, Time } from './schemas.ts';
import { issueSession, SessionFields, Transport } from './sign-in.ts';

export const ProviderParams = Type.Object({
  canonical: Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{0,62}$' }),
});

export function oauthRoutes(ports: AccessPorts): Route[] {
  return [
    startRoute(ports),
    callbackRoute(ports),
    completeProfileRoute(ports),
    ...linkRoutes(ports),
    ...settingsRoutes(ports),
  ];
}

function startRoute(ports: AccessPorts): Route {
  return route({
    method: 'GET',
    url: '/auth/oauth/:canonical',
    needs: 'nothing',
    about:
      'Starts a sign-in with a provider: redirects to it, and sets a cookie that binds the sign-in to ' +
      'this browser.',
    schema: { params: ProviderParams, response: { 302: Type.Unsafe<undefined>({ type: 'null' }) } },
    handler: async (request, reply) => {
      const url = bindToBrowser(ports, await startFlow(request.params, ports), request, reply);
      return reply.header('cache-control', 'no-store').redirect(url, 302);
    },
  });
}

/**
 * Sets the cookie that binds the flow to this browser, and returns the URL of the provider. Throws if the
 * flow could not start.
 */
function bindToBrowser(
  ports: AccessPorts,
  flow: FlowStarted,
  request: FastifyRequest,
  reply: FastifyReply,
): string {
  if (flow.answer === 'unknown')
    throw new Problem(
      'not-found',
      'There is no such provider, or it is disabled. Choose one on the sign-in page.',
    );
  if (flow.answer === 'no-address') throw new Problem('refused', NO_EXTERNAL_URL);
  if (flow.answer === 'failed') throw providerProblem(flow, request);
  const cookies = ports.browser.cookies(request);
  void reply.setCookie(cookies.flow, flow.browser, { ...cookies.options, maxAge: 600 });
  return flow.url;
}

const NO_EXTERNAL_URL =
  "Providers send browsers back to this installation's address, which is not set: " +
  "set externalURL in the chart's values.";

function providerProblem(
  { message, failure }: { message: string; failure?: string },
  request: FastifyRequest,
): Problem {
  if (failure !== undefined) request.log.warn({ failure }, 'signing in with a provider failed');
  return new Problem('provider-failed', message);
}

const FinishedFields = {
  status: Type.Enum(['signed-in', 'complete-profile', 'linked']),
  session: Type.Optional(Type.Object(SessionFields)),
  /** With `complete-profile`: for `POST /auth/oauth/complete-profile`. */
  profile_token: Type.Optional(Type.String()),
  username: Type.Optional(Type.String()),
  full_name: Type.Optional(Type.String()),
};

/** The route that completes a sign-in or a link. After a sign-in, it puts the session into a cookie. */
function callbackRoute(ports: AccessPorts): Route {
  return route({
    method: 'GET',
    url: '/auth/oauth/:canonical/callback',
    needs: 'nothing',
    about:
      'Where the provider redirects the browser to. Sets the session cookie, returns a `profile_token` if ' +
      'the person has no account yet, or completes a link (`linked`).',
    schema: {
      params: ProviderParams,
      querystring: Type.Object({ state: Type.String({ minLength: 1, maxLength: 200 }) }),
      response: answer(FinishedFields),
    },
    handler: async (request, reply) => {
      const finished = await finishFlow(
        {
          canonical: request.params.canonical,
          state: request.query.state,
          query: request.url.split('?')[1] ?? '',
          browser: flowCookie(request, ports),
          caller: callerOf(request),
        },
        ports,
      );
      void reply.header('cache-control', 'no-store');
      return { data: await encodeFinished(finished, ports, request, reply) };
    },
  });
}

function flowCookie(request: FastifyRequest, { browser }: AccessPorts): string | undefined {
  return request.server.parseCookie(request.headers.cookie ?? '')[browser.cookies(request).flow];
}

async function encodeFinished(
  finished: FlowFinished,
  ports: AccessPorts,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  if (finished.answer === 'failed') throw providerProblem(finished, request);
  if (finished.answer === 'taken') {
    throw new Problem(
      'already-exists',
      'This identity is linked with another account. Sign in with it, and unlink it there first.',
    );
  }
  if (finished.answer === 'linked') return { status: 'linked' as const };
  if (finished.answer === 'profile') {
    const { token, username, fullName } = finished;
    return { status: 'complete-profile' as const, profile_token: token, username, full_name: fullName };
  }
  const cookies = ports.browser.cookies(request);
  void reply.clearCookie(cookies.flow, cookies.options);
  return {
    status: 'signed-in' as const,
    session: await issueSession(ports, finished.session, 'cookie', reply),
  };
}

function completeProfileRoute(ports: AccessPorts): Route {
  return route({
    method: 'POST',
    url: '/auth/oauth/complete-profile',
    needs: 'nothing',
    about:
      'Creates the account of a person who signs in with a provider for the first time, under a name that ' +
      'they choose, and signs them in. The account is a member only of teams that its groups at the ' +
      'provider, or Team objects, make it a member of.',
    bodyLimit: SMALL_BODY,
    schema: {
      body: body({
        profile_token: Type.String({ minLength: 1, maxLength: 200 }),
        username: Username,
        full_name: Type.Optional(FullName),
        session: Transport,
      }),
      response: { 201: Type.Object({ data: Type.Object(SessionFields) }) },
    },
    handler: async (request, reply) => {
      const { profile_token: token, username, full_name: fullName = '', session = 'cookie' } = request.body;
      const profile = {
        token,
        username,
        fullName,
        browser: flowCookie(request, ports),
        caller: callerOf(request),
      };
      const completed = await completeProfile(profile, ports);
      if (completed.answer === 'fault') throw new Problem('invalid-request', completed.message);
      if (completed.answer === 'taken')
        throw new Problem('already-exists', `User ${username} exists already: choose another name.`);
      if (completed.answer === 'unknown')
        throw new Problem(
          'provider-failed',
          'This sign-in has expired or was completed already. Sign in again.',
        );
      return reply.code(201).send({ data: await issueSession(ports, completed.session, session, reply) });
    },
  });
}

const LinkedAccount = Type.Object({ canonical: Type.String(), name: Type.String(), linked_at: Time });

function linkRoutes(ports: AccessPorts): Route[] {
  const { oauth, now } = ports;
  return [
    route({
      method: 'GET',
      url: '/profile/linked-accounts',
      needs: 'session',
      about: 'The providers that you can sign in with.',
      schema: { response: answerList(LinkedAccount) },
      handler: async ({ identity }) => {
        const links = await oauth.links(accountOf(identity).userId);
        return {
          data: links.map(({ provider, displayName = provider, linkedAt }) => ({
            canonical: provider,
            name: displayName,
            linked_at: linkedAt.toISOString(),
          })),
        };
      },
    }),
    route({
      method: 'POST',
      url: '/profile/linked-accounts/:canonical',
      needs: 'session',
      about:
        'Starts to link a provider: the response has the URL to open. Requires a session from the last ' +
        'ten minutes (`sign-in-again`).',
      schema: { params: ProviderParams, response: answer({ url: Type.String() }) },
      handler: async (request, reply) => {
        const { userId, sessionId = '' } = requireRecentSignIn(request.identity, now());
        const flow = await startFlow({ ...request.params, link: { userId, sessionId } }, ports);
        return { data: { url: bindToBrowser(ports, flow, request, reply) } };
      },
    }),
    route({
      method: 'DELETE',
      url: '/profile/linked-accounts/:canonical',
      needs: 'session',
      about:
        'Unlinks a provider, unless it is your only way to sign in. Requires a session from the last ten ' +
        'minutes (`sign-in-again`).',
      schema: { params: ProviderParams, response: Nothing },
      handler: async ({ identity, params }, reply) => {
        const { userId } = requireRecentSignIn(identity, now());
        const link = { userId, provider: params.canonical };
        requireMethodsChanged(await unlink(link, actOf(identity, now()), oauth), 'This link');
        return reply.code(204).send(undefined);
      },
    }),
  ];
}

function settingsRoutes({ oauth, now }: AccessPorts): Route[] {
  const Settings = { local: Type.Boolean() };
  return [
    route({
      method: 'GET',
      url: '/admin/auth-settings',
      needs: 'global-admin',
      about: 'Whether people may sign in with a password.',
      schema: { response: answer(Settings) },
      handler: async () => ({ data: { local: await oauth.local() } }),
    }),
    route({
      method: 'PUT',
      url: '/admin/auth-settings',
      needs: 'global-admin',
      about:
        'Turns sign-in with a password on or off. You can turn it off only if everyone has linked an ' +
        'enabled provider.',
      schema: { body: body(Settings), response: answer(Settings) },
      handler: async ({ body: { local }, identity }) => {
        requireMethodsChanged(await setLocalSignIn(local, actOf(identity, now()), oauth), 'This setting');
        return { data: { local } };
      },
    }),
  ];
}

function requireMethodsChanged(changed: SignInMethodsAnswer, subject: string): void {
  if (changed.answer === 'refused') throw new Problem('would-lock-out', changed.message);
  requireExists(changed.answer === 'done', subject);
}
