import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { limitByAddress } from '#adapters/http/server/rate-limits.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import type { Identity } from '#domain/access/decide-access.ts';
import { beginCliLogin, findCliLogin, finishCliLogin, forgiveLoginCodes } from '#flows/people/cli-login.ts';
import type { AuditedAct } from '#flows/people/ports.ts';
import type { AccessPorts } from './access-ports.ts';
import { accountOf, actOf, callerOf, requireRecentSignIn, tooManyAttempts } from './caller.ts';
import { requireExists, requireFound } from './found.ts';
import { body, Nothing, SMALL_BODY } from './request-bodies.ts';
import { answer, Time } from './schemas.ts';
import { issueSession, SessionFields } from './sign-in.ts';

const CodeParams = Type.Object({ code: Type.String({ minLength: 1, maxLength: 50 }) });

/** 32 bytes in base64url: a random secret, which nobody can guess, or its SHA-256. */
const Secret = Type.String({ pattern: '^[A-Za-z0-9_-]{43}$' });

/** The name of the machine from which a person logs in, perhaps cut off. */
const Client = Type.String({ minLength: 1, maxLength: 100, pattern: '^[\\u0020-\\u007e]+$' });

/** How often a program should ask whether a person has confirmed its login. */
const INTERVAL_SECONDS = 2;

/** Enough for twenty programs behind one address, each of which asks every `INTERVAL_SECONDS`. */
const FINISH_LIMITS = { burst: 100, perSecond: 10, addresses: 20_000 };

export const CliLoginBegunFields = { code: Type.String(), expires_at: Time, interval: Type.Integer() };

export const CliLoginFinishedFields = {
  confirmed: Type.Boolean(),
  session: Type.Optional(Type.Object(SessionFields)),
};

/** Logins of the command line that a person confirms in a browser (ADR 0084). */
export function cliLoginRoutes(ports: AccessPorts): Route[] {
  return [
    beginRoute(ports),
    finishRoute(ports),
    pendingRoute(ports),
    confirmRoute(ports),
    refuseRoute(ports),
  ];
}

function beginRoute(ports: AccessPorts): Route {
  return route({
    method: 'POST',
    url: '/auth/cli-logins',
    needs: 'nothing',
    about:
      'Starts a login for a program. A person confirms it in a browser at `/profile/cli-login`, where they ' +
      "compare `code`. `challenge` is the SHA-256 of the program's secret, in base64url; `client` names its " +
      'machine. The login expires after five minutes.',
    bodyLimit: SMALL_BODY,
    schema: {
      body: body({ challenge: Secret, client: Client }),
      response: {
        201: Type.Object({
          data: Type.Object(CliLoginBegunFields),
        }),
      },
    },
    handler: async (request, reply) => {
      const begun = await beginCliLogin({ ...request.body, caller: callerOf(request) }, ports);
      if (begun.answer === 'wait') throw tooManyAttempts(begun.seconds);
      if (begun.answer === 'used') throw new Problem('already-exists', 'A login with this challenge waits.');
      void reply.header('cache-control', 'no-store');
      const data = {
        code: begun.code,
        expires_at: begun.expiresAt.toISOString(),
        interval: INTERVAL_SECONDS,
      };
      return reply.code(201).send({ data });
    },
  });
}

function finishRoute(ports: AccessPorts): Route {
  const limit = limitByAddress(FINISH_LIMITS, () => performance.now());
  return route({
    method: 'POST',
    url: '/auth/cli-logins/finish',
    needs: 'nothing',
    about:
      'Exchanges the secret of a login for a session, once, after a person has confirmed it. Until then, ' +
      '`confirmed` is false. Ask every `interval` seconds: an address that asks far more often gets 429.',
    bodyLimit: SMALL_BODY,
    schema: {
      body: body({ verifier: Secret }),
      response: answer(CliLoginFinishedFields),
    },
    handler: async (request, reply) => {
      limit(request.ip);
      const { verifier } = request.body;
      const finished = await finishCliLogin({ verifier, caller: callerOf(request) }, ports);
      void reply.header('cache-control', 'no-store');
      if (finished.answer === 'pending') return { data: { confirmed: false } };
      if (finished.answer === 'unknown')
        throw new Problem('not-found', 'This login was refused, took longer than five minutes, or is over.');
      return {
        data: { confirmed: true, session: await issueSession(ports, finished.session, 'token', reply) },
      };
    },
  });
}

function pendingRoute(ports: AccessPorts): Route {
  return route({
    method: 'GET',
    url: '/profile/cli-logins/:code',
    needs: 'session',
    about: 'A login that waits under this code: who asks, from where, and until when.',
    schema: {
      params: CodeParams,
      response: answer({
        code: Type.String(),
        client: Type.String(),
        address: Type.String(),
        started_at: Time,
        expires_at: Time,
      }),
    },
    handler: async ({ params, identity }, reply) => {
      const { code, client, address, startedAt, expiresAt } = await pendingLogin(
        ports,
        params.code,
        accountOf(identity).user,
      );
      void reply.header('cache-control', 'no-store');
      const [started, expires] = [startedAt.toISOString(), expiresAt.toISOString()];
      return { data: { code, client, address, started_at: started, expires_at: expires } };
    },
  });
}

function confirmRoute(ports: AccessPorts): Route {
  return decisionRoute(ports, {
    verb: 'confirm',
    about:
      'Confirms a login: its program gets a session of yours. Requires a session from the last ten minutes ' +
      '(`sign-in-again`).',
    decide: async (code, { userId, sessionId = '' }, act) =>
      await ports.cliLogins.confirmCliLogin({ code, sessionId, userId }, act),
    accountFor: (identity) => requireRecentSignIn(identity, ports.now()),
  });
}

function refuseRoute(ports: AccessPorts): Route {
  return decisionRoute(ports, {
    verb: 'refuse',
    about: 'Refuses a login: its program gets no session.',
    decide: async (code, _, act) => await ports.cliLogins.refuseCliLogin(code, act),
    accountFor: accountOf,
  });
}

interface Decision {
  verb: 'confirm' | 'refuse';
  about: string;
  /** Returns false if nothing was decided, for example because the login was decided before. */
  decide: (code: string, account: ReturnType<typeof accountOf>, act: AuditedAct) => Promise<boolean>;
  /** Returns the account of the person who decides, or throws if they may not decide. */
  accountFor: (identity: Identity | undefined) => ReturnType<typeof accountOf>;
}

function decisionRoute(ports: AccessPorts, { verb, about, decide, accountFor }: Decision): Route {
  return route({
    method: 'POST',
    url: `/profile/cli-logins/:code/${verb}`,
    needs: 'session',
    about,
    schema: { params: CodeParams, response: Nothing },
    handler: async ({ params, identity }, reply) => {
      const account = accountFor(identity);
      const { code } = await pendingLogin(ports, params.code, account.user);
      const isDecided = await decide(code, account, actOf(identity, ports.now()));
      requireExists(isDecided, LOGIN_SUBJECT);
      await forgiveLoginCodes(account.user, ports);
      return reply.code(204).send(undefined);
    },
  });
}

const LOGIN_SUBJECT = 'A login with this code';

async function pendingLogin(ports: AccessPorts, typedCode: string, user: string) {
  const result = await findCliLogin(typedCode, user, ports);
  if (result.answer === 'wait') throw tooManyAttempts(result.seconds);
  return requireFound(result.answer === 'found' ? result.login : undefined, LOGIN_SUBJECT);
}
