import { spawn } from 'node:child_process';
import { explain } from '#cli/explain.ts';
import { CommandError, EXIT, type Exit, type Terminal } from '#cli/terminal.ts';
import { requestPath } from './api.ts';
import { chooseServer, readConfig, type ServerOptions } from './connect.ts';
import { readCredentials } from './credentials.ts';

/** Names the page of a team, or of a pipeline, job or build of the team. */
export interface PageName {
  pipeline?: string;
  job?: string;
  build?: string;
}

export interface OpenOptions extends ServerOptions {
  team: string;
  print?: boolean;
}

/** Prints the address of a page and opens it in the browser. Sends no request to the server. */
export async function openPage(page: PageName, options: OpenOptions, terminal: Terminal): Promise<Exit> {
  const config = readConfig(terminal);
  const { url } = chooseServer(options, config, await readCredentials(config.directory));
  const address = `${url}${pathOf(options.team, page)}`;
  terminal.out(`${address}\n`);
  if (options.print === true) return EXIT.success;
  try {
    await (terminal.openBrowser ?? openWithSystem)(address);
  } catch (error) {
    throw new CommandError(`no browser could be opened (${explain(error)}): open the address yourself`);
  }
  return EXIT.success;
}

function pathOf(team: string, { pipeline, job, build }: PageName): string {
  const base = requestPath('teams', team, 'pipelines');
  if (pipeline === undefined) return base;
  const pipelinePage = `${base}${requestPath(pipeline)}`;
  if (job === undefined) return pipelinePage;
  const builds = `${pipelinePage}${requestPath('jobs', job, 'builds')}`;
  return build === undefined ? builds : `${builds}${requestPath(build)}`;
}

/**
 * A program that opens pages reports a failure within this time. It may run for longer, because it can be the
 * browser itself.
 */
const FAILS_WITHIN_MS = 2000;

/**
 * Resolves when the program that opens pages has succeeded, or has run for `FAILS_WITHIN_MS` without a
 * failure.
 */
export async function openWithSystem(address: string): Promise<void> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [address], { stdio: 'ignore', detached: true });
  await new Promise<void>((resolve, reject) => {
    setTimeout(resolve, FAILS_WITHIN_MS).unref();
    child.on('error', () => reject(new Error(`${program} is not installed`)));
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${program} ended with ${String(code)}`)),
    );
  });
  child.unref();
}
