import type { FastifyRequest } from 'fastify';
import type { AccessPorts } from '#adapters/http/api/access-ports.ts';
import { requireFound } from '#adapters/http/api/found.ts';
import { UserParams } from '#adapters/http/api/request-bodies.ts';
import type { PageRoute } from '#adapters/http/server/route.ts';
import { accountMain, type AccountState } from './account-sections.ts';
import { callApi } from './call-api.ts';
import { confirmedForm, fillPath } from './confirmed-form.ts';
import { EMPTY_FORM, fieldProblem, type FormState } from './form-fields.ts';
import type { Html } from './html.ts';
import { form, page, viewerOf } from './page.ts';
import { cursor, PER_PAGE } from './paging.ts';
import { installationSettings } from './settings-layout.ts';
import { usersMain } from './user-sections.ts';

const USERS = '/users';
const USER = '/users/:username';
type Values = Readonly<Record<string, string | undefined>>;

/** The pages of the accounts of the installation, for global admins. */
export function userPages(ports: AccessPorts): PageRoute[] {
  return [
    page({ url: USERS, answer: async ({ query, request }) => await usersPage(ports, request, query) }),
    createForm(ports),
    page({
      url: USER,
      params: UserParams,
      answer: async ({ params: { username = '' }, request }) =>
        await accountPage(ports, request, username, NO_ENTRIES),
    }),
    changeForm(ports),
    confirmedForm(ports, {
      url: `${USER}/delete`,
      calls: { method: 'DELETE', url: USER },
      params: UserParams,
      ask: ({ username = '' }) => ({
        title: `Delete the account ${username}?`,
        consequence:
          `${username} can no longer sign in, and their sessions and API tokens end. The audit log keeps ` +
          'their name. To lock an account and keep its memberships, disable it instead.',
        button: `Delete ${username}`,
        back: userPath(username),
      }),
      to: ({ username }, user) => (username === user ? '/auth/login' : USERS),
    }),
  ];
}

const NO_ENTRIES: AccountState = { name: EMPTY_FORM, rights: EMPTY_FORM, password: EMPTY_FORM };
const userPath = (username: string): string => `${USERS}/${encodeURIComponent(username)}`;

async function usersPage(
  { accounts, codec }: AccessPorts,
  request: FastifyRequest,
  query: Values,
  newAccount: FormState = EMPTY_FORM,
): Promise<Html> {
  const search = (query['search'] ?? '')
    .replaceAll(/\p{Cc}/gu, '')
    .trim()
    .slice(0, 100);
  const pageQuery = { limit: PER_PAGE, search, ...cursor(query['before']) };
  const viewer = viewerOf(request, codec);
  return installationSettings({
    section: 'Accounts',
    title: 'Accounts',
    viewer,
    main: usersMain({ accounts: await accounts.accounts(pageQuery), search, newAccount, viewer }),
  });
}

function createForm(ports: AccessPorts): PageRoute {
  return form({
    url: USERS,
    answer: async ({ fields, request }) => {
      const { username: typedName = '', full_name: fullName = '', password = '' } = fields;
      const username = typedName.trim();
      const { status, problem } = await callApi(request, {
        method: 'POST',
        url: USERS,
        body: {
          username,
          full_name: fullName.trim(),
          global_admin: fields['global_admin'] === 'yes',
          ...(password !== '' && { password }),
        },
        csrfToken: fields['csrf_token'],
      });
      if (problem === undefined) return { to: userPath(username) };
      const isAboutPassword = problem.startsWith('A password') || problem.startsWith('This password');
      const state: FormState = {
        values: { username: typedName, full_name: fullName, global_admin: fields['global_admin'] ?? 'no' },
        problem: fieldProblem(
          problem,
          ['username', 'full_name', 'password'],
          isAboutPassword ? 'password' : 'username',
        ),
      };
      return { status, page: await usersPage(ports, request, {}, state) };
    },
  });
}

async function accountPage(
  { accounts, codec }: AccessPorts,
  request: FastifyRequest,
  username: string,
  state: AccountState,
): Promise<Html> {
  const account = requireFound(await accounts.account(username), `User ${username}`);
  const viewer = viewerOf(request, codec);
  return installationSettings({
    section: 'Accounts',
    title: username,
    parent: { name: 'Accounts', url: USERS },
    viewer,
    main: accountMain({ account, path: userPath(username), state, viewer }),
  });
}

/**
 * Handles all forms on the page of an account. Each of them changes one thing, so the call has only the
 * fields of the form that was sent.
 */
function changeForm(ports: AccessPorts): PageRoute {
  return form({
    url: USER,
    calls: { method: 'PUT', url: USER },
    params: UserParams,
    answer: async ({ params, fields, request }) => {
      const { username = '' } = params;
      const { full_name: fullName, global_admin: admin, disabled, password } = fields;
      const { status, problem } = await callApi(request, {
        method: 'PUT',
        url: fillPath(USER, params),
        body: {
          ...(fullName !== undefined && { full_name: fullName.trim() }),
          ...(admin !== undefined && { global_admin: admin === 'true' }),
          ...(disabled !== undefined && { disabled: disabled === 'true' }),
          ...(password !== undefined && { password, keep_tokens: fields['keep_tokens'] === 'yes' }),
        },
        csrfToken: fields['csrf_token'],
      });
      const losesOwnAdmin = admin === 'false' && username === request.identity?.user;
      if (problem === undefined) return { to: losesOwnAdmin ? '/teams' : userPath(username) };
      const state = refusedState(problem, fields);
      return { status, page: await accountPage(ports, request, username, state) };
    },
  });
}

/**
 * Returns the state of the page after a form was refused: the message, and what was entered except a
 * password.
 */
function refusedState(
  message: string,
  { full_name: name, password, keep_tokens: keep = 'no' }: Values,
): AccountState {
  if (name !== undefined)
    return {
      ...NO_ENTRIES,
      name: { values: { full_name: name }, problem: fieldProblem(message, ['full_name'], 'full_name') },
    };
  if (password !== undefined)
    return {
      ...NO_ENTRIES,
      password: { values: { keep_tokens: keep }, problem: fieldProblem(message, ['password'], 'password') },
    };
  return { ...NO_ENTRIES, rights: { values: {}, problem: { field: undefined, message } } };
}
