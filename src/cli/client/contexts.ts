import { CommandError } from '#cli/terminal.ts';
import type { CredentialsFile } from './credentials.ts';

/** A name for a server and the team that commands use there. */
export interface ServerContext {
  url: string;
  /** Absent: `main`. */
  team?: string;
}

/** The contexts by name. A login of an older version has one with the name of its host. */
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

/** The context of a server: the current one if it is of this server, otherwise the first. */
export function contextNameOf(file: CredentialsFile, server = file.current): string | undefined {
  if (server === undefined) return undefined;
  const contexts = contextsOf(file);
  const { current_context: current = '' } = file;
  if (contexts.get(current)?.url === server) return current;
  return [...contexts].find(([, { url }]) => url === server)?.[0];
}

export function contextNamed(file: CredentialsFile, name: string): ServerContext {
  const found = contextsOf(file).get(name);
  if (found === undefined)
    throw new CommandError(`there is no context ${name}: run millrace contexts list to see their names`);
  return found;
}

/** The file with these contexts, of which one is current. */
export function withContexts(
  { servers }: CredentialsFile,
  contexts: ReadonlyMap<string, ServerContext>,
  current: string | undefined,
): CredentialsFile {
  const url = contexts.get(current ?? '')?.url;
  return {
    // Older versions read only the server.
    ...(current !== undefined && url !== undefined && { current: url, current_context: current }),
    servers,
    ...(contexts.size > 0 && { contexts: Object.fromEntries(contexts) }),
  };
}
