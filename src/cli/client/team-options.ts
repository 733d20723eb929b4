import type { OutputOptions } from '#cli/output.ts';
import type { Terminal } from '#cli/terminal.ts';
import type { Api } from './api.ts';
import type { ServerOptions } from './connect.ts';

/** Options of every command on a team. */
export interface TeamOptions extends ServerOptions, OutputOptions {
  team: string;
}

/** The server, the options and the terminal of a command. */
export interface TeamCommandContext<Options = TeamOptions> {
  api: Api;
  options: Options;
  terminal: Terminal;
}
