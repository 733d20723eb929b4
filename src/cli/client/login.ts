import { resolve } from 'node:path';
import { timeOf } from '#cli/output.ts';
import { CommandError, EXIT, type Exit, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { Api } from './api.ts';
import { loginInBrowser, type BrowserLoginOptions } from './browser-login.ts';
import { prepare, readConfig } from './connect.ts';
import { contextNameOf, contextsOf, withContexts } from './contexts.ts';
import {
  credentialsFile,
  readCredentials,
  writeCredentials,
  type CredentialsFile,
  type ServerCredential,
} from './credentials.ts';
import { readSecret } from './read-secret.ts';
import type { SessionJson } from './response-types.ts';
import { serverUrl } from './server-url.ts';
import { ownerOfToken } from './token-owner.ts';

export interface LoginOptions extends BrowserLoginOptions {
  username?: string;
  token?: boolean;
  caFile?: string;
  /** Absent: the known context of the server, or its host. */
  context?: string;
  team?: string;
}

/** Logs in with a browser, a token or a password and stores the credentials. */
export async function login(server: string, options: LoginOptions, terminal: Terminal): Promise<Exit> {
  const url = serverUrl(server);
  const config = readConfig(terminal);
  const known = await readCredentials(config.directory);
  const caFile = options.caFile ?? config.caFile;
  await prepare(url, caFile ?? known.servers[url]?.ca_file, config);
  const { until, ...given } = await obtain(url, options, terminal);
  const trusted = caFile === undefined ? known.servers[url]?.ca_file : resolve(caFile);
  const credential = { ...given, ...defined({ ca_file: trusted }) };
  // Another command may have changed the file meanwhile.
  const now = await readCredentials(config.directory);
  const stored = { ...now, servers: { ...now.servers, [url]: credential } };
  await writeCredentials(config.directory, contextsAfter(now, stored, { url, ...options }));
  const who =
    credential.username === undefined
      ? 'with a token that belongs to no account'
      : `as ${credential.username}`;
  const end = until === undefined ? '' : ` until ${timeOf(until)}`;
  terminal.err(
    `Logged in at ${url} ${who}${end}. Credentials stored in ${credentialsFile(config.directory)}.\n`,
  );
  return EXIT.success;
}

/** Makes the context of a login current. Its team stays, unless the login names another. */
function contextsAfter(
  known: CredentialsFile,
  stored: CredentialsFile,
  { url, context, team }: { url: string; context?: string; team?: string },
): CredentialsFile {
  const contexts = contextsOf(context === undefined ? stored : known);
  const name = context ?? contextNameOf(stored, url) ?? url;
  const before = contexts.get(name);
  contexts.set(name, { url, ...(before?.url === url && before), ...defined({ team }) });
  return withContexts(stored, contexts, name);
}

interface Given extends ServerCredential {
  until?: string;
}

async function obtain(url: string, options: LoginOptions, terminal: Terminal): Promise<Given> {
  if (options.token === true) return await byToken(url, terminal);
  if (options.username !== undefined) return await byPassword(url, options.username, terminal);
  if (terminal.ask === undefined && options.browser !== false)
    throw new CommandError(
      'cannot prompt here: add --username <name> or --token, and pipe in the password or token; ' +
        'or add --no-browser',
    );
  return keep(await loginInBrowser(url, options, terminal));
}

async function byToken(url: string, terminal: Terminal): Promise<Given> {
  const token = (await readSecret('Token: ', terminal)).trim();
  const user = await ownerOfToken(new Api({ url, token: 'of a login' }, token));
  return { token, ...(user && { username: user.username }) };
}

async function byPassword(url: string, username: string, terminal: Terminal): Promise<Given> {
  const password = await readSecret('Password: ', terminal);
  const api = new Api({ url, token: 'none' }, undefined);
  const { data } = await api.ask<SessionJson>('POST', '/auth/login', { username, password });
  return data.must_change_password ? await changeFirst(url, password, data, terminal) : keep(data);
}

/** An initial password only allows changing it. */
async function changeFirst(
  url: string,
  current: string,
  { token }: SessionJson,
  terminal: Terminal,
): Promise<Given> {
  if (terminal.ask === undefined)
    throw new CommandError(
      `change this password first: in a browser at ${url}/profile, or log in from a terminal`,
    );
  terminal.err('You must change this password first.\n');
  const wanted = await terminal.ask('New password: ', 'hidden');
  if (wanted !== (await terminal.ask('Repeat the new password: ', 'hidden')))
    throw new CommandError('the two passwords differ: nothing was changed');
  const api = new Api({ url, token: 'of a login' }, token);
  const body = { current_password: current, new_password: wanted };
  return keep((await api.ask<SessionJson>('PUT', '/profile/password', body)).data);
}

function keep({ token, username, expires_at: until }: SessionJson): Given {
  if (token === undefined) throw new CommandError('the server sent no token');
  return { token, username, ...defined({ until }) };
}
