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
import type { RequestContext } from './problem-error.ts';
import { isLoopback, serverUrl } from './server-url.ts';

export interface ServerOptions {
  /** Absent: the server of `context`, of MILLRACE_URL or of the current context, in this order. */
  url?: string;
  /** The name of a context. Absent: the current one, unless `url` or MILLRACE_URL names another server. */
  context?: string;
  caFile?: string;
}

/** Chooses the server and the token for it. Sends nothing yet. */
export async function connect(options: ServerOptions, terminal: Terminal): Promise<Api> {
  const config = readConfig(terminal);
  const credentials = await readCredentials(config.directory);
  const { url, token, tokenOrigin, caFile } = chooseServer(options, config, credentials);
  if (token === undefined)
    throw new CommandError(`you are not logged in at ${url}: run millrace login ${url}`);
  await prepareConnection(url, caFile, config);
  return new Api({ url, tokenOrigin }, token);
}

export function readConfig({ environment }: Pick<Terminal, 'environment'>): ClientConfig {
  const source = environment && { environment, readText: (path: string) => readFileSync(path, 'utf8') };
  const { config, problems } = clientConfig(source);
  if (problems !== undefined) throw new CommandError(problems.join(' '));
  return config;
}

interface ChosenServer {
  url: string;
  token: string | undefined;
  tokenOrigin: RequestContext['tokenOrigin'];
  caFile: string | undefined;
}

/**
 * Chooses the server and a token for it. A token is sent only to its own server: MILLRACE_TOKEN belongs to
 * the server in MILLRACE_URL, or without that to the server in --url.
 */
export function chooseServer(
  options: ServerOptions,
  config: ClientConfig,
  credentials: CredentialsFile,
): ChosenServer {
  const url = urlOf(options.url ?? urlOfContext(options, credentials) ?? config.url, config, credentials);
  const stored = credentials.servers[url];
  const caFile = options.caFile ?? config.caFile ?? stored?.ca_file;
  const isServerOfToken =
    config.url === undefined ? options.context === undefined : serverUrl(config.url) === url;
  if (config.token !== undefined && isServerOfToken)
    return { url, token: config.token, tokenOrigin: 'of the environment', caFile };
  return { url, token: stored?.token, tokenOrigin: 'of a login', caFile };
}

const urlOfContext = ({ context }: ServerOptions, credentials: CredentialsFile): string | undefined =>
  context === undefined ? undefined : contextNamed(credentials, context).url;

function urlOf(url: string | undefined, { token }: ClientConfig, { current }: CredentialsFile): string {
  if (url !== undefined) return serverUrl(url);
  if (token !== undefined)
    throw new CommandError(
      'MILLRACE_TOKEN is set, but MILLRACE_URL is not: set it to the server of the token',
    );
  if (current !== undefined) return serverUrl(current);
  throw new CommandError(
    'no server: run millrace login https://<your server>, or set MILLRACE_URL and MILLRACE_TOKEN',
  );
}

/** The team of the context, if the command uses the server of that context. */
export async function chosenTeam(
  options: ServerOptions,
  terminal: Pick<Terminal, 'environment'>,
): Promise<string | undefined> {
  const config = readConfig(terminal);
  const credentials = await readCredentials(config.directory);
  if (options.context !== undefined) return contextNamed(credentials, options.context).team;
  const current = contextNameOf(credentials);
  if (current === undefined) return undefined;
  const { url, team } = contextNamed(credentials, current);
  return chooseServer(options, config, credentials).url === url ? team : undefined;
}

/** Sets the certificates and the proxy that this process uses. Plain HTTP needs neither. */
export async function prepareConnection(
  url: string,
  caFile: string | undefined,
  { proxy }: Pick<ClientConfig, 'proxy'>,
): Promise<void> {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:') return;
  const additional = caFile === undefined ? [] : [await readCertificates(caFile)];
  setDefaultCACertificates([
    ...new Set([...getCACertificates('default'), ...getCACertificates('system'), ...additional]),
  ]);
  // Over HTTPS the proxy sees only the host.
  if (proxy.https_proxy !== undefined && !isLoopback(hostname)) useProxy(proxy);
}

function useProxy(proxy: ClientConfig['proxy']): void {
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
