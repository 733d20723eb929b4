import { printResult, renderTable, type OutputOptions } from '#cli/output.ts';
import { CommandError, EXIT, type Exit, type Paint, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { readConfig } from './connect.ts';
import { contextNamed, contextNameOf, contextsOf, withContexts } from './contexts.ts';
import { readCredentials, writeCredentials } from './credentials.ts';
import { logout } from './logout.ts';

interface ContextRow {
  name: string;
  current: boolean;
  url: string;
  team: string;
  username?: string;
}

export async function listContexts(options: OutputOptions, terminal: Terminal): Promise<Exit> {
  const file = await readCredentials(readConfig(terminal).directory);
  const current = contextNameOf(file);
  const rows = [...contextsOf(file)].map(([name, { url, team = 'main' }]): ContextRow => ({
    name,
    current: name === current,
    url,
    team,
    ...defined({ username: file.servers[url]?.username }),
  }));
  if (rows.length === 0) terminal.err('There are no contexts: run millrace login https://<your server>.\n');
  await printResult(rows, options, terminal, {
    render: renderContexts,
    names: (items) => items.map(({ name }) => `context/${name}`),
  });
  return EXIT.success;
}

function renderContexts(contexts: readonly ContextRow[], paint: Paint): string {
  if (contexts.length === 0) return '';
  const rows = contexts.map(({ name, current, url, team, username }) => [
    current ? '*' : '',
    name,
    url,
    team,
    username ?? '',
  ]);
  return renderTable(['CURRENT', 'NAME', 'SERVER', 'TEAM', 'USER'], rows, paint);
}

export async function useContext(name: string, terminal: Terminal): Promise<Exit> {
  const { directory } = readConfig(terminal);
  const file = await readCredentials(directory);
  const { url, team = 'main' } = contextNamed(file, name);
  await writeCredentials(directory, withContexts(file, contextsOf(file), name));
  terminal.err(`Commands now use ${url} and the team ${team}.\n`);
  return EXIT.success;
}

/** `context` is the name of the context; if absent, the current one changes. */
export async function setContextTeam(
  team: string,
  { context }: { context?: string },
  terminal: Terminal,
): Promise<Exit> {
  const { directory } = readConfig(terminal);
  const file = await readCredentials(directory);
  const name = context ?? contextNameOf(file);
  if (name === undefined)
    throw new CommandError('there is no current context: run millrace contexts use <name>, or add --context');
  const { url } = contextNamed(file, name);
  const contexts = contextsOf(file).set(name, { url, team });
  await writeCredentials(directory, withContexts(file, contexts, contextNameOf(file)));
  terminal.err(`Commands in the context ${name} now use the team ${team}.\n`);
  return EXIT.success;
}

/** Deletes a context. If it is the last one of its server, also logs out of the server. */
export async function deleteContext(name: string, terminal: Terminal): Promise<Exit> {
  const { directory } = readConfig(terminal);
  const file = await readCredentials(directory);
  const { url } = contextNamed(file, name);
  const contexts = contextsOf(file);
  contexts.delete(name);
  const [other] = [...contexts].find(([, context]) => context.url === url) ?? [];
  if (other === undefined) return await logout(url, terminal);
  const current = contextNameOf(file);
  await writeCredentials(directory, withContexts(file, contexts, current === name ? other : current));
  const now = current === name ? ` The current context is now ${other}.` : '';
  terminal.err(`Deleted the context ${name}. You are still logged in at ${url}.${now}\n`);
  return EXIT.success;
}
