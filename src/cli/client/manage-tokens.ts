import { explain } from '#cli/explain.ts';
import { printResult, renderTable, timeOf, type OutputOptions } from '#cli/output.ts';
import { CommandError, EXIT, type Exit, type Paint, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { replaceInvisible } from '#domain/graph/measure-label.ts';
import { Api, requestPath } from './api.ts';
import { loginInBrowser, NO_SESSION, type BrowserLoginOptions } from './browser-login.ts';
import { connect, type ServerOptions } from './connect.ts';
import { ProblemError } from './problem-error.ts';
import type { ApiTokenJson, CreatedTokenJson, UserJson } from './response-types.ts';
import { ownerOfToken } from './token-owner.ts';

type TokenOptions = ServerOptions & OutputOptions;

export async function listTokens(options: TokenOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const tokens = await api.get<ApiTokenJson[]>('/api-tokens');
  if (tokens.length === 0) terminal.err('You have no API tokens.\n');
  await printResult(tokens, options, terminal, {
    render: renderTokens,
    names: (items) => items.map(({ name }) => `token/${name}`),
  });
  return EXIT.success;
}

function renderTokens(tokens: readonly ApiTokenJson[], paint: Paint, isWide: boolean): string {
  if (tokens.length === 0) return '';
  const rows = tokens.map((token) => [
    token.name,
    rightsOf(token),
    token.expires_at === undefined ? 'never' : timeOf(token.expires_at),
    token.last_used_at === undefined ? '' : timeOf(token.last_used_at),
    ...(isWide ? [String(token.id), token.token_prefix, timeOf(token.created_at)] : []),
  ]);
  return renderTable(['NAME', 'RIGHTS', 'EXPIRES', 'LAST USED', 'ID', 'PREFIX', 'CREATED'], rows, paint);
}

const rightsOf = ({ personal, team_canonical: team = '', role }: ApiTokenJson): string =>
  personal ? 'personal' : `${team} (${role ?? ''})`;

export interface CreateTokenOptions extends TokenOptions, BrowserLoginOptions {
  team: string;
  /** Absent: a personal token. */
  role?: string;
  personal?: boolean;
  expires?: string;
}

/**
 * Creates a token and prints it. If the login is older than ten minutes, the user first confirms a new login
 * in a browser.
 */
export async function createApiToken(
  name: string,
  options: CreateTokenOptions,
  terminal: Terminal,
): Promise<Exit> {
  const { team, role, personal = false, expires } = options;
  if (personal === (role !== undefined))
    throw new CommandError(
      'add --role <role> for a token of a team, or --personal for one with all your rights',
    );
  const scope = personal ? { personal } : { personal, team_canonical: team, role };
  const tokenRequest = { name, ...scope, ...defined({ expires_at: expires }) };
  const api = await connect(options, terminal);
  const account = await ownerOfToken(api);
  // Printed before anything else can fail: the server shows the token only now.
  const createAndPrint = async (recentLogin: Api): Promise<void> => {
    const { data } = await recentLogin.ask<CreatedTokenJson>('POST', '/api-tokens', tokenRequest);
    const expiry = data.expires_at === undefined ? 'never expires' : `expires ${timeOf(data.expires_at)}`;
    const owner = account === undefined ? '' : ` of ${replaceInvisible(account.username)}`;
    terminal.err(`Token ${name}${owner} (${rightsOf(data)}) ${expiry}. It is shown only now:\n`);
    const printed = { ...data, ...defined({ username: account?.username }) };
    await printResult(printed, options, terminal, () => `${data.token}\n`);
  };
  await withRecentLogin(api, createAndPrint, { account, options, terminal });
  return EXIT.success;
}

interface RecentLoginContext {
  /** The owner of the stored login; undefined for tokens of a team or of the installation. */
  account: UserJson | undefined;
  options: BrowserLoginOptions;
  terminal: Terminal;
}

/**
 * Runs an action that needs a login of the last ten minutes. If the stored login is older, the user confirms
 * a new session in a browser. That session ends after the action.
 */
async function withRecentLogin(
  api: Api,
  act: (api: Api) => Promise<void>,
  { account, options, terminal }: RecentLoginContext,
): Promise<void> {
  try {
    return await act(api);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.kind !== 'sign-in-again') throw error;
    // A script has nobody who could confirm the session.
    if (account === undefined || (terminal.ask === undefined && options.browser !== false)) throw error;
  }
  terminal.err(`This needs a login of the last ten minutes, as ${replaceInvisible(account.username)}.\n`);
  const { token, username } = await loginInBrowser(api.url, options, terminal);
  if (token === undefined) throw new CommandError(NO_SESSION);
  const session = new Api({ url: api.url, tokenOrigin: 'of a login' }, token);
  try {
    if (username !== account.username)
      throw new CommandError(
        `${replaceInvisible(username)} confirmed in the browser, but you are logged in here as ` +
          `${replaceInvisible(account.username)}: no token was created. Sign in there as ` +
          `${replaceInvisible(account.username)}, or run millrace login ${api.url} first`,
      );
    await act(session);
  } finally {
    await endQuietly(session, terminal);
  }
}

/** Ends a session. A failure must neither fail the command nor hide why the command failed. */
async function endQuietly(session: Api, terminal: Terminal): Promise<void> {
  try {
    await session.send('POST', '/auth/logout');
  } catch (error) {
    terminal.err(
      `The session that was opened for this could not be ended (${explain(error)}). ` +
        `It ends by itself; to end it now, open ${session.url}/profile.\n`,
    );
  }
}

/** Deletes one of your tokens, by its name or its id. */
export async function revokeToken(
  nameOrId: string,
  options: TokenOptions,
  terminal: Terminal,
): Promise<Exit> {
  const api = await connect(options, terminal);
  const tokens = await api.get<ApiTokenJson[]>('/api-tokens');
  const token =
    tokens.find(({ name }) => name === nameOrId) ?? tokens.find(({ id }) => String(id) === nameOrId);
  if (token === undefined) throw new CommandError(`you have no token ${nameOrId}: run millrace tokens list`);
  await api.send('DELETE', requestPath('api-tokens', String(token.id)));
  const { id, name } = token;
  await printResult({ id, name, revoked: true }, options, terminal, () => `Token ${name} revoked.\n`);
  return EXIT.success;
}
