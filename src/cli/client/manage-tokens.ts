import { printResult, renderTable, timeOf, type OutputOptions } from '#cli/output.ts';
import { CommandError, EXIT, type Exit, type Paint, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { Api, requestPath } from './api.ts';
import { loginInBrowser, type BrowserLoginOptions } from './browser-login.ts';
import { connect, type ServerOptions } from './connect.ts';
import { ProblemError } from './problem-error.ts';
import type { ApiTokenJson, CreatedTokenJson } from './response-types.ts';

type TokenOptions = ServerOptions & OutputOptions;

export async function listTokens(options: TokenOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const tokens = await api.get<ApiTokenJson[]>('/api-tokens');
  if (tokens.length === 0) terminal.err('You have no API tokens.\n');
  await printResult(tokens, options, terminal, {
    render: asTokens,
    names: (all) => all.map(({ name }) => `token/${name}`),
  });
  return EXIT.success;
}

function asTokens(tokens: readonly ApiTokenJson[], paint: Paint, isWide: boolean): string {
  if (tokens.length === 0) return '';
  const rows = tokens.map((one) => [
    one.name,
    rightsOf(one),
    one.expires_at === undefined ? 'never' : timeOf(one.expires_at),
    one.last_used_at === undefined ? '' : timeOf(one.last_used_at),
    ...(isWide ? [String(one.id), one.token_prefix, timeOf(one.created_at)] : []),
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

/** Creates a token and prints it, once. If the login is older than ten minutes, the browser confirms it. */
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
  const wanted = { name, ...scope, ...defined({ expires_at: expires }) };
  const api = await connect(options, terminal);
  const created = await withRecentLogin(
    api,
    async (recent) => (await recent.ask<CreatedTokenJson>('POST', '/api-tokens', wanted)).data,
    { options, terminal },
  );
  const end = created.expires_at === undefined ? 'never expires' : `expires ${timeOf(created.expires_at)}`;
  terminal.err(`Token ${name} (${rightsOf(created)}) ${end}. It is shown only now:\n`);
  await printResult(created, options, terminal, () => `${created.token}\n`);
  return EXIT.success;
}

/** Runs an action that needs a login of the last ten minutes: with a session of its own, if ours is older. */
async function withRecentLogin<T>(
  api: Api,
  act: (api: Api) => Promise<T>,
  { options, terminal }: { options: BrowserLoginOptions; terminal: Terminal },
): Promise<T> {
  try {
    return await act(api);
  } catch (error) {
    if (!(error instanceof ProblemError) || error.kind !== 'sign-in-again') throw error;
    // A script would wait for nobody.
    if (terminal.ask === undefined && options.browser !== false) throw error;
  }
  terminal.err('This needs a login of the last ten minutes.\n');
  const { token } = await loginInBrowser(api.url, options, terminal);
  if (token === undefined) throw new CommandError('the server sent no token');
  const once = new Api({ url: api.url, token: 'of a login' }, token);
  try {
    return await act(once);
  } finally {
    await once.send('POST', '/auth/logout');
  }
}

/** Deletes one of your tokens, by its name or its id. */
export async function revokeToken(given: string, options: TokenOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const tokens = await api.get<ApiTokenJson[]>('/api-tokens');
  const found = tokens.find(({ name }) => name === given) ?? tokens.find(({ id }) => String(id) === given);
  if (found === undefined) throw new CommandError(`you have no token ${given}: run millrace tokens list`);
  await api.send('DELETE', requestPath('api-tokens', String(found.id)));
  const { id, name } = found;
  await printResult({ id, name, revoked: true }, options, terminal, () => `Token ${name} revoked.\n`);
  return EXIT.success;
}
