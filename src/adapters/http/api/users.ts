import { Type } from 'typebox';
import { Problem } from '#adapters/http/protocol/problem.ts';
import { route, type Route } from '#adapters/http/server/route.ts';
import { defined } from '#defined';
import { changeAccount, createAccount, removeAccount } from '#flows/people/manage-accounts.ts';
import type { Account } from '#flows/people/ports.ts';
import type { AccessPorts } from './access-ports.ts';
import { actOf, requireChanged } from './caller.ts';
import { requireFound } from './found.ts';
import {
  body,
  FullName,
  KeepTokens,
  Nothing,
  Password,
  RolesByTeam,
  SMALL_BODY,
  Username,
  UserParams,
} from './request-bodies.ts';
import { answer, answerPage, PageQuery, Time } from './schemas.ts';

export const User = {
  id: Type.Integer(),
  username: Type.String(),
  full_name: Type.String(),
  global_admin: Type.Boolean(),
  has_password: Type.Boolean(),
  must_change_password: Type.Boolean(),
  disabled: Type.Boolean(),
  created_at: Time,
  teams: RolesByTeam,
};

const Query = {
  ...PageQuery,
  search: Type.Optional(Type.String({ maxLength: 100, pattern: '^[^\\u0000]*$' })),
};

export function userRoutes(ports: AccessPorts): Route[] {
  const { accounts } = ports;
  return [
    route({
      method: 'GET',
      url: '/users',
      needs: 'global-admin',
      about:
        'All accounts, newest first, in pages. `search`: only those whose username or full name contains it.',
      schema: { querystring: Type.Object(Query), response: answerPage(Type.Object(User)) },
      handler: async ({ query }) => {
        const { rows, hasMore } = await accounts.accounts(query);
        return { data: rows.map(encodeUser), has_more: hasMore };
      },
    }),
    route({
      method: 'GET',
      url: '/users/:username',
      needs: 'global-admin',
      about: 'One account.',
      schema: { params: UserParams, response: answer(User) },
      handler: async ({ params: { username } }) => ({
        data: encodeUser(requireFound(await accounts.account(username), `User ${username}`)),
      }),
    }),
    createRoute(ports),
    changeRoute(ports),
    route({
      method: 'DELETE',
      url: '/users/:username',
      needs: 'global-admin',
      about:
        'Deletes an account with its sessions and tokens. The last admin of a team and the last global ' +
        'admin cannot be deleted.',
      schema: { params: UserParams, response: Nothing },
      handler: async ({ params, identity }, reply) => {
        requireChanged(await removeAccount(params.username, actOf(identity, ports.now()), ports));
        return reply.code(204).send(undefined);
      },
    }),
  ];
}

function createRoute(ports: AccessPorts): Route {
  return route({
    method: 'POST',
    url: '/users',
    needs: 'global-admin',
    about: 'Creates an account. If it has a `password`, the user must change it at the first sign-in.',
    bodyLimit: SMALL_BODY,
    schema: {
      body: body({
        username: Username,
        full_name: Type.Optional(FullName),
        password: Type.Optional(Password),
        global_admin: Type.Optional(Type.Boolean()),
      }),
      response: { 201: Type.Object({ data: Type.Object(User) }) },
    },
    handler: async ({ body: fields, identity }, reply) => {
      const { username, full_name: fullName = '', global_admin: globalAdmin = false, password } = fields;
      const act = actOf(identity, ports.now());
      const created = await createAccount({ username, fullName, globalAdmin, password }, act, ports);
      if (created.answer === 'fault') throw new Problem('invalid-request', created.message);
      if (created.answer === 'taken')
        throw new Problem(
          'already-exists',
          `User ${username} exists already. Choose another name, or change that account.`,
        );
      const account = requireFound(await ports.accounts.account(username), `User ${username}`);
      return reply.code(201).send({ data: encodeUser(account) });
    },
  });
}

function changeRoute(ports: AccessPorts): Route {
  return route({
    method: 'PUT',
    url: '/users/:username',
    needs: 'global-admin',
    about:
      'Changes the full name, `global_admin`, `disabled` (a disabled account cannot sign in) or the ' +
      'password. Disabling an account and changing its password end all its sessions.',
    bodyLimit: SMALL_BODY,
    schema: {
      params: UserParams,
      body: body({
        full_name: Type.Optional(FullName),
        password: Type.Optional(Password),
        global_admin: Type.Optional(Type.Boolean()),
        disabled: Type.Optional(Type.Boolean()),
        keep_tokens: KeepTokens,
      }),
      response: answer(User),
    },
    handler: async ({ params: { username }, body: fields, identity }) => {
      const { full_name: fullName, global_admin: globalAdmin, disabled, password, keep_tokens } = fields;
      const change = defined({ disabled, fullName, globalAdmin, password, keepTokens: keep_tokens });
      requireChanged(await changeAccount(username, change, actOf(identity, ports.now()), ports));
      return { data: encodeUser(requireFound(await ports.accounts.account(username), `User ${username}`)) };
    },
  });
}

export function encodeUser(account: Account) {
  return {
    id: account.id,
    username: account.username,
    full_name: account.fullName,
    global_admin: account.globalAdmin,
    has_password: account.hasPassword,
    must_change_password: account.mustChangePassword,
    disabled: account.disabled,
    created_at: account.createdAt.toISOString(),
    teams: account.teams,
  };
}
