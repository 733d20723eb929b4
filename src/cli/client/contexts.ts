import { CommandError } from '#cli/terminal.ts';
import type { CredentialsFile } from './credentials.ts';

/** What the name of a context stands for: a server, and the team that commands use there. */
export interface ServerContext {
  url: string;
  /** Absent: `main`. */
  team?: string;
}

/**
 * The contexts by name, without those of servers that have no login. A server without a context gets one
 * named after its host.
 */
export function contextsOf({ contexts = {}, servers }: CredentialsFile): Map<string, ServerContext> {
  const named = new Map(Object.entries(contexts).filter(([, { url }]) => Object.hasOwn(servers, url)));
  const urls = new Set([...named.values()].map(({ url }) => url));
  for (const url of Object.keys(servers))
    if (!urls.has(url)) named.set(freeName(URL.parse(url)?.host ?? url, named), { url });
  return named;
}

function freeName(host: string, taken: ReadonlyMap<string, unknown>): string {
  return taken.has(host) ? freeName(`${host}-2`, taken) : host;
}

/** The name of a server's context: the current context if it is for this server, otherwise the first. */
export function contextNameOf(file: CredentialsFile, server = file.current): string | undefined {
  if (server === undefined) return undefined;
  const contexts = contextsOf(file);
  const { current_context: current = '' } = file;
  if (contexts.get(current)?.url === server) return current;
  return [...contexts].find(([, { url }]) => url === server)?.[0];
}

export function contextNamed(file: CredentialsFile, name: string): ServerContext {
  const context = contextsOf(file).get(name);
  if (context === undefined)
    throw new CommandError(`there is no context ${name}: run millrace contexts list to see their names`);
  return context;
}

/** A copy of the file with these contexts. `current` is the name of the current one. */
export function withContexts(
  { servers }: CredentialsFile,
  contexts: ReadonlyMap<string, ServerContext>,
  current: string | undefined,
): CredentialsFile {
  const url = contexts.get(current ?? '')?.url;
  return {
    // Older versions read only `current`, the URL of the server.
    ...(current !== undefined && url !== undefined && { current: url, current_context: current }),
    servers,
    ...(contexts.size > 0 && { contexts: Object.fromEntries(contexts) }),
  };
}
