import { CommandError, EXIT, type Exit, type Terminal } from '#cli/terminal.ts';
import { Api } from './api.ts';
import { prepareConnection, readConfig } from './connect.ts';
import { contextNameOf, contextsOf, withContexts } from './contexts.ts';
import { readCredentials, writeCredentials, type ServerCredential } from './credentials.ts';
import { ProblemError } from './problem-error.ts';
import { serverUrl } from './server-url.ts';

/**
 * Deletes the stored credentials and the contexts of a server; without `server`, of the current one. Also
 * ends the session there, if the server can be reached. An API token stays valid.
 */
export async function logout(server: string | undefined, terminal: Terminal): Promise<Exit> {
  const config = readConfig(terminal);
  const stored = await readCredentials(config.directory);
  const url = server === undefined ? stored.current : serverUrl(server);
  const credential = url === undefined ? undefined : stored.servers[url];
  if (url === undefined || credential === undefined)
    throw new CommandError(url === undefined ? 'you are not logged in' : `you are not logged in at ${url}`);
  const noteOnSession = await endSession(
    url,
    credential,
    async () => await prepareConnection(url, credential.ca_file, config),
  );
  // Another command may have changed the file meanwhile.
  const latest = await readCredentials(config.directory);
  const { [url]: _gone, ...servers } = latest.servers;
  const contexts = contextsOf({ ...latest, servers });
  const current = latest.current === url ? undefined : contextNameOf(latest);
  await writeCredentials(config.directory, withContexts({ servers }, contexts, current));
  terminal.err(`Logged out at ${url}.${noteOnSession}\n`);
  return EXIT.success;
}

/** Ends the session. Returns a sentence about what stays valid on the server, or an empty text. */
async function endSession(
  url: string,
  { token }: ServerCredential,
  prepareRequest: () => Promise<void>,
): Promise<string> {
  // Sessions are JWTs; API tokens contain no dot.
  if (!token.includes('.')) return ` The token itself stays valid: delete it at ${url}/profile.`;
  try {
    await prepareRequest();
    await new Api({ url, tokenOrigin: 'of a login' }, token).send('POST', '/auth/logout');
    return '';
  } catch (error) {
    if (error instanceof ProblemError && error.status === 401) return '';
    if (!(error instanceof CommandError)) throw error;
    return ` The session there could not be ended (${error.message}): end it at ${url}/profile.`;
  }
}
