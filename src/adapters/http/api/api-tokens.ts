import { Type } from 'typebox';
import { makeApiToken } from '#adapters/http/auth/api-token.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { tokenEnd, type TokenScope } from '#domain/access/api-token.ts';
import { createToken } from '#flows/people/api-tokens.ts';
import type { ApiToken } from '#flows/people/token-ports.ts';
import type { AccessPorts } from './access-ports.ts';
import { accountOf, actOf, requireRecentSignIn } from './caller.ts';
import { requireExists } from './found.ts';
import { body, Nothing, RoleName, SMALL_BODY } from './request-bodies.ts';
import { answerList, Time } from './schemas.ts';

export const ApiTokenFields = {
  id: Type.Integer(),
  name: Type.String(),
  token_prefix: Type.String(),
  personal: Type.Boolean(),
  team_canonical: Type.Optional(Type.String()),
  role: Type.Optional(RoleName),
  username: Type.String(),
  created_at: Time,
  expires_at: Type.Optional(Time),
  last_used_at: Type.Optional(Time),
};

/** A new token. `token` is its secret, which no later response contains. */
export const CreatedToken = { ...ApiTokenFields, token: Type.String() };

const CreateTokenBody = body({
  name: Type.String({ maxLength: 1000 }),
  personal: Type.Boolean(),
  team_canonical: Type.Optional(Type.String({ maxLength: 200 })),
  role: Type.Optional(RoleName),
  expires_at: Type.Optional(
    // Not a union of schemas, because validation would then turn null into an empty text.
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength: 64,
      description:
        'If absent, the token expires after 90 days, or after signIn.tokenMaxLifetime if that is shorter. ' +
        'null: never; requires signIn.tokenMaxLifetime 0.',
    }),
  ),
});

export function tokenRoutes(ports: AccessPorts): Route[] {
  const { tokens, now } = ports;
  return [
    createRoute(ports),
    route({
      method: 'GET',
      url: '/api-tokens',
      needs: 'session',
      about: 'Your API tokens, without their secrets.',
      schema: { response: answerList(Type.Object(ApiTokenFields)) },
      handler: async ({ identity }) => ({
        data: (await tokens.tokens(accountOf(identity).userId)).map(encode),
      }),
    }),
    route({
      method: 'DELETE',
      url: '/api-tokens/:id',
      needs: 'session',
      about: 'Deletes one of your API tokens.',
      schema: {
        params: Type.Object({ id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) }),
        response: Nothing,
      },
      handler: async ({ params: { id }, identity }, reply) => {
        const { userId } = accountOf(identity);
        const removed = await tokens.removeToken({ id, userId }, actOf(identity, now()));
        requireExists(removed, 'This token');
        return reply.code(204).send(undefined);
      },
    }),
  ];
}

function createRoute({ tokens, now, tokenMaxSeconds }: AccessPorts): Route {
  return route({
    method: 'POST',
    url: '/api-tokens',
    needs: 'session',
    about:
      'Creates an API token and shows it once. A `personal` token has all your rights; a token for ' +
      '`team_canonical` has at most a `role` in that team. Routes that need `session` accept no token. The ' +
      'token expires at `expires_at`. Without that field, it expires after 90 days, or after the longest ' +
      'lifetime that the installation allows if that is shorter. `null`: it never expires. Requires a ' +
      'session from the last ten minutes (`sign-in-again`).',
    bodyLimit: SMALL_BODY,
    schema: {
      body: CreateTokenBody,
      response: { 201: Type.Object({ data: Type.Object(CreatedToken) }) },
    },
    handler: async ({ body: tokenRequest, identity }, reply) => {
      const at = now();
      const { userId, user: username, sessionId = '' } = requireRecentSignIn(identity, at);
      const expiry = expiryOf(tokenRequest, tokenMaxSeconds, at);
      const scope = scopeOf(tokenRequest);
      const { token, hash, prefix } = makeApiToken();
      const { name } = tokenRequest;
      const tokenFields = { name, username, prefix, ...defined({ scope }), ...expiry };
      const created = await createToken({ ...tokenFields, userId, sessionId, hash }, at, tokens);
      if (created.answer !== 'made') {
        const { kind, detail } = REFUSALS[created.answer];
        throw new Problem(kind, detail);
      }
      void reply.header('cache-control', 'no-store');
      return reply
        .code(201)
        .send({ data: { ...encode({ ...tokenFields, id: created.id, createdAt: at }), token } });
    },
  });
}

function expiryOf(
  { name, expires_at: text }: { name: string; expires_at?: string | null },
  maxLifetimeSeconds: number,
  at: Date,
): { expiresAt?: Date } {
  const requestedMs = typeof text === 'string' ? new Date(text).getTime() : text;
  const expiry = tokenEnd({ name, expiresAt: requestedMs, maxLifetimeSeconds }, at.getTime());
  if ('fault' in expiry) throw new Problem('invalid-request', expiry.fault);
  return expiry.end === null ? {} : { expiresAt: new Date(expiry.end) };
}

/**
 * Returns the team and the role of a token of a team, or undefined for a personal token. Throws if a personal
 * token names a team or a role, or if any other token lacks one of them.
 */
function scopeOf({
  personal,
  team_canonical: team,
  role,
}: {
  personal: boolean;
  team_canonical?: string;
  role?: TokenScope['role'];
}): TokenScope | undefined {
  if (personal && team === undefined && role === undefined) return undefined;
  if (personal)
    throw new Problem(
      'invalid-request',
      'A personal token has all your rights: leave out team_canonical and role, or send personal: false.',
    );
  if (team !== undefined && role !== undefined) return { team, role };
  throw new Problem('invalid-request', 'A token of a team needs team_canonical and role.');
}

const REFUSALS = {
  taken: {
    kind: 'already-exists',
    detail: 'You have a token of this name. Choose another name, or delete that token first.',
  },
  'too-many': { kind: 'already-exists', detail: 'You have reached the limit of tokens. Delete some.' },
  'no-team': { kind: 'not-found', detail: 'There is no such team.' },
  'session-over': { kind: 'unauthenticated', detail: 'The session has ended. Sign in again.' },
  'role-too-high': {
    kind: 'forbidden',
    detail: 'You do not have this role in this team yourself. Choose one up to your own.',
  },
} as const;

function encode({ scope, prefix, createdAt, expiresAt, lastUsedAt, ...token }: ApiToken) {
  return {
    id: token.id,
    name: token.name,
    username: token.username,
    token_prefix: prefix,
    personal: scope === undefined,
    ...(scope !== undefined && { team_canonical: scope.team, role: scope.role }),
    created_at: createdAt.toISOString(),
    ...defined({ expires_at: expiresAt?.toISOString(), last_used_at: lastUsedAt?.toISOString() }),
  };
}
