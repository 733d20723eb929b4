import { resolve } from 'node:path';
import { timeOf } from '#cli/output.ts';
import { CommandError, EXIT, type Exit, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { Api } from './api.ts';
import { loginInBrowser, NO_SESSION, type BrowserLoginOptions } from './browser-login.ts';
import { prepareConnection, readConfig } from './connect.ts';
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
  const stored = await readCredentials(config.directory);
  const caFile = options.caFile ?? config.caFile;
  await prepareConnection(url, caFile ?? stored.servers[url]?.ca_file, config);
  const { expiresAt, ...obtained } = await obtainCredential(url, options, terminal);
  const storedCaFile = caFile === undefined ? stored.servers[url]?.ca_file : resolve(caFile);
  const credential = { ...obtained, ...defined({ ca_file: storedCaFile }) };
  // Another command may have changed the file meanwhile.
  const latest = await readCredentials(config.directory);
  const updated = { ...latest, servers: { ...latest.servers, [url]: credential } };
  await writeCredentials(config.directory, contextsAfter(latest, updated, { url, ...options }));
  const account =
    credential.username === undefined
      ? 'with a token that belongs to no account'
      : `as ${credential.username}`;
  const expiry = expiresAt === undefined ? '' : ` until ${timeOf(expiresAt)}`;
  terminal.err(
    `Logged in at ${url} ${account}${expiry}. Credentials stored in ${credentialsFile(config.directory)}.\n`,
  );
  return EXIT.success;
}

/**
 * Makes the context of a login current. A context of the same server keeps its team, unless the login names
 * another.
 */
function contextsAfter(
  before: CredentialsFile,
  updated: CredentialsFile,
  { url, context, team }: { url: string; context?: string; team?: string },
): CredentialsFile {
  // With a name from the user, a new server must not also get a context named after its host.
  const contexts = contextsOf(context === undefined ? updated : before);
  const name = context ?? contextNameOf(updated, url) ?? url;
  const existing = contexts.get(name);
  const existingTeam = existing?.url === url ? existing.team : undefined;
  contexts.set(name, { url, ...defined({ team: team ?? existingTeam }) });
  return withContexts(updated, contexts, name);
}

interface ObtainedCredential extends ServerCredential {
  expiresAt?: string;
}

async function obtainCredential(
  url: string,
  options: LoginOptions,
  terminal: Terminal,
): Promise<ObtainedCredential> {
  if (options.token === true) return await loginByToken(url, terminal);
  if (options.username !== undefined) return await loginByPassword(url, options.username, terminal);
  if (terminal.ask === undefined && options.browser !== false)
    throw new CommandError(
      'cannot prompt here: add --username <name> or --token, and pipe in the password or token; ' +
        'or add --no-browser',
    );
  return toCredential(await loginInBrowser(url, options, terminal));
}

async function loginByToken(url: string, terminal: Terminal): Promise<ObtainedCredential> {
  const token = (await readSecret('Token: ', terminal)).trim();
  const user = await ownerOfToken(new Api({ url, tokenOrigin: 'of a login' }, token));
  return { token, ...(user && { username: user.username }) };
}

async function loginByPassword(
  url: string,
  username: string,
  terminal: Terminal,
): Promise<ObtainedCredential> {
  const password = await readSecret('Password: ', terminal);
  const api = new Api({ url, tokenOrigin: 'none' }, undefined);
  const { data } = await api.ask<SessionJson>('POST', '/auth/login', { username, password });
  return data.must_change_password
    ? await changePasswordFirst(url, password, data, terminal)
    : toCredential(data);
}

/** Changes the initial password of an account: a login with it may do nothing else. */
async function changePasswordFirst(
  url: string,
  initialPassword: string,
  { token }: SessionJson,
  terminal: Terminal,
): Promise<ObtainedCredential> {
  if (terminal.ask === undefined)
    throw new CommandError(
      `change this password first: in a browser at ${url}/profile, or log in from a terminal`,
    );
  terminal.err('You must change this password first.\n');
  const newPassword = await terminal.ask('New password: ', 'hidden');
  if (newPassword !== (await terminal.ask('Repeat the new password: ', 'hidden')))
    throw new CommandError('the two passwords differ: nothing was changed. Run the command again');
  const api = new Api({ url, tokenOrigin: 'of a login' }, token);
  const body = { current_password: initialPassword, new_password: newPassword };
  return toCredential((await api.ask<SessionJson>('PUT', '/profile/password', body)).data);
}

function toCredential({ token, username, expires_at: expiresAt }: SessionJson): ObtainedCredential {
  if (token === undefined) throw new CommandError(NO_SESSION);
  return { token, username, ...defined({ expiresAt }) };
}
