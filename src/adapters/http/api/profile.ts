import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { isRecentSignIn } from '#domain/access/decide-access.ts';
import { changePassword, type PasswordChanged } from '#flows/people/change-password.ts';
import { changeAccount } from '#flows/people/manage-accounts.ts';
import type { UserSession } from '#flows/people/ports.ts';
import type { AccessPorts } from './access-ports.ts';
import { accountOf, actOf, callerOf, requireChanged, signInAgain, tooManyAttempts } from './caller.ts';
import { requireExists, requireFound } from './found.ts';
import { body, FullName, KeepTokens, Nothing, Password, SMALL_BODY } from './request-bodies.ts';
import { answer, answerList, Time } from './schemas.ts';
import { issueSession, SessionFields, Transport } from './sign-in.ts';
import { encodeUser, User } from './users.ts';

const Session = Type.Object({
  id: Type.String(),
  opened_at: Time,
  /** The last use of the session, precise to the minute. */
  used_at: Time,
  expires_at: Type.Optional(Time),
  address: Type.String(),
  client: Type.String(),
  /** Whether it is the session of this request. */
  current: Type.Boolean(),
});

export function profileRoutes(ports: AccessPorts): Route[] {
  const { accounts, now } = ports;
  return [
    route({
      method: 'GET',
      url: '/profile',
      needs: 'user',
      about: 'Your account.',
      schema: { response: answer(User) },
      handler: async ({ identity }) => {
        const { user } = accountOf(identity);
        return { data: encodeUser(requireFound(await accounts.account(user), `User ${user}`)) };
      },
    }),
    route({
      method: 'PUT',
      url: '/profile',
      needs: 'session',
      about: 'Changes your full name.',
      bodyLimit: SMALL_BODY,
      schema: { body: body({ full_name: FullName }), response: answer(User) },
      handler: async ({ identity, body: { full_name: fullName } }) => {
        const { user } = accountOf(identity);
        requireChanged(await changeAccount(user, { fullName }, actOf(identity, now()), ports));
        return { data: encodeUser(requireFound(await accounts.account(user), `User ${user}`)) };
      },
    }),
    passwordRoute(ports),
    ...sessionRoutes(ports),
  ];
}

/** Changing the password ends all sessions of the account. The caller gets a new one. */
function passwordRoute(ports: AccessPorts): Route {
  return route({
    method: 'PUT',
    url: '/profile/password',
    needs: 'session',
    beforePasswordChange: true,
    about:
      'Changes your password. Your sessions end, and so do your API tokens unless the body has ' +
      '`"keep_tokens": true`; the response has a new session. If your account has no password yet, leave ' +
      'out the current one; this requires a session from the last ten minutes (`sign-in-again`).',
    bodyLimit: SMALL_BODY,
    schema: {
      body: body({
        current_password: Type.Optional(Password),
        new_password: Password,
        keep_tokens: KeepTokens,
        session: Transport,
      }),
      response: answer(SessionFields),
    },
    handler: async (request, reply) => {
      const { current_password: current, new_password: newPassword, session, keep_tokens } = request.body;
      const account = accountOf(request.identity);
      const isRecent = isRecentSignIn(account, ports.now().getTime());
      const keepTokens = keep_tokens === true;
      const change = {
        username: account.user,
        current,
        newPassword,
        fresh: isRecent,
        keepTokens,
        caller: callerOf(request),
      };
      const changed = await changePassword(change, ports);
      if (changed.answer !== 'changed') throw passwordProblem(changed);
      return { data: await issueSession(ports, changed.session, session, reply) };
    },
  });
}

function passwordProblem(refused: Exclude<PasswordChanged, { answer: 'changed' }>): Problem {
  if (refused.answer === 'wait') return tooManyAttempts(refused.seconds);
  if (refused.answer === 'fault') return new Problem('invalid-request', refused.message);
  if (refused.answer === 'not-fresh') return signInAgain();
  if (refused.answer === 'wrong-current')
    return new Problem(
      'wrong-password',
      'The current password is wrong. If you have forgotten it, a global admin can set a new one.',
    );
  return new Problem('unauthenticated', 'The account has changed. Sign in again.');
}

function sessionRoutes({ sessions, idleSeconds, now }: AccessPorts): Route[] {
  return [
    route({
      method: 'GET',
      url: '/profile/sessions',
      needs: 'session',
      about: 'Your sessions, newest first.',
      schema: { response: answerList(Session) },
      handler: async ({ identity }) => {
        const { userId, sessionId } = accountOf(identity);
        const openSessions = await sessions.sessions(userId, { at: now(), idleSeconds });
        return { data: openSessions.map((session) => encode(session, sessionId)) };
      },
    }),
    route({
      method: 'DELETE',
      url: '/profile/sessions/:session',
      needs: 'session',
      about: 'Ends one of your sessions.',
      schema: { params: Type.Object({ session: Type.String({ maxLength: 100 }) }), response: Nothing },
      handler: async ({ identity, params }, reply) => {
        const { userId } = accountOf(identity);
        const ended = await sessions.endSession({ id: params.session, userId }, actOf(identity, now()));
        requireExists(ended, 'This session');
        return reply.code(204).send(undefined);
      },
    }),
  ];
}

function encode(
  { id, openedAt, usedAt, expiresAt, address, client }: UserSession,
  current: string | undefined,
) {
  return {
    id,
    opened_at: openedAt.toISOString(),
    used_at: usedAt.toISOString(),
    ...defined({ expires_at: expiresAt?.toISOString() }),
    address,
    client,
    current: id === current,
  };
}
