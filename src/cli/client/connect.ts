import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setGlobalProxyFromEnv } from 'node:http';
import { resolve } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { explain } from '#cli/explain.ts';
import { CommandError, type Terminal } from '#cli/terminal.ts';
import { clientConfig, type ClientConfig } from '#config';
import { Api } from './api.ts';
import { contextNamed, contextNameOf } from './contexts.ts';
import { readCredentials, type CredentialsFile } from './credentials.ts';
import { isLoopback, serverUrl } from './server-url.ts';

export interface ServerOptions {
  /** Absent: the server of the context. */
  url?: string;
  /** Absent: the current one. */
  context?: string;
  caFile?: string;
}

/** The gateway to use, with the token for it. */
export async function connect(options: ServerOptions, terminal: Terminal): Promise<Api> {
  const config = readConfig(terminal);
  const credentials = await readCredentials(config.directory);
  const { url, token, from, caFile } = chooseServer(options, config, credentials);
  if (token === undefined)
    throw new CommandError(`you are not logged in at ${url}: run millrace login ${url}`);
  await prepare(url, caFile, config);
  return new Api({ url, token: from }, token);
}

export function readConfig({ environment }: Pick<Terminal, 'environment'>): ClientConfig {
  const source = environment && { environment, readText: (path: string) => readFileSync(path, 'utf8') };
  const { config, problems } = clientConfig(source);
  if (problems !== undefined) throw new CommandError(problems.join(' '));
  return config;
}

interface Chosen {
  url: string;
  token: string | undefined;
  from: 'of the environment' | 'of a login';
  caFile: string | undefined;
}

/**
 * A token is sent only to its own server. The token of the environment belongs to the server that the
 * environment or the command names.
 */
export function chooseServer(options: ServerOptions, config: ClientConfig, known: CredentialsFile): Chosen {
  const url = urlOf(options.url ?? urlOfContext(options, known) ?? config.url, config, known);
  const stored = known.servers[url];
  const caFile = options.caFile ?? config.caFile ?? stored?.ca_file;
  const isItsServer =
    config.url === undefined ? options.context === undefined : serverUrl(config.url) === url;
  if (config.token !== undefined && isItsServer)
    return { url, token: config.token, from: 'of the environment', caFile };
  return { url, token: stored?.token, from: 'of a login', caFile };
}

const urlOfContext = ({ context }: ServerOptions, known: CredentialsFile): string | undefined =>
  context === undefined ? undefined : contextNamed(known, context).url;

function urlOf(given: string | undefined, { token }: ClientConfig, { current }: CredentialsFile): string {
  if (given !== undefined) return serverUrl(given);
  if (token !== undefined)
    throw new CommandError(
      'MILLRACE_TOKEN is set, but MILLRACE_URL is not: set it to the server of the token',
    );
  if (current !== undefined) return serverUrl(current);
  throw new CommandError(
    'no server: run millrace login https://<your server>, or set MILLRACE_URL and MILLRACE_TOKEN',
  );
}

/** The team of the context, if it is of the server that the command uses. */
export async function chosenTeam(
  options: ServerOptions,
  terminal: Pick<Terminal, 'environment'>,
): Promise<string | undefined> {
  const config = readConfig(terminal);
  const known = await readCredentials(config.directory);
  if (options.context !== undefined) return contextNamed(known, options.context).team;
  const current = contextNameOf(known);
  if (current === undefined) return undefined;
  const { url, team } = contextNamed(known, current);
  return chooseServer(options, config, known).url === url ? team : undefined;
}

/** Sets the certificates and the proxy that this process uses. */
export async function prepare(
  url: string,
  caFile: string | undefined,
  { proxy }: Pick<ClientConfig, 'proxy'>,
): Promise<void> {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:') return;
  const own = caFile === undefined ? [] : [await readCertificates(caFile)];
  setDefaultCACertificates([
    ...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...own]),
  ]);
  // Over HTTPS the proxy sees only the host.
  if (proxy.https_proxy !== undefined && !isLoopback(hostname)) takeProxy(proxy);
}

function takeProxy(proxy: ClientConfig['proxy']): void {
  try {
    setGlobalProxyFromEnv({ ...proxy });
  } catch {
    // The error's message quotes the URL, which may contain a password.
    throw new CommandError(
      'https_proxy is not the address of a proxy: write it like http://proxy.example.org:3128',
    );
  }
}

async function readCertificates(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(resolve(file), 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${explain(error)}`);
  }
  if (!text.includes('-----BEGIN CERTIFICATE-----'))
    throw new CommandError(`${file} contains no PEM certificate (-----BEGIN CERTIFICATE-----)`);
  return text;
}
