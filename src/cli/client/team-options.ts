import type { Terminal } from '#cli/terminal.ts';
import type { Api } from './api.ts';
import type { ServerOptions } from './connect.ts';
import type { OutputOptions } from './show.ts';

/** Of every verb that looks into a team. */
export interface TeamOptions extends ServerOptions, OutputOptions {
  team: string;
}

/** Who is asked, how, and who reads it. */
export interface Talk<O = TeamOptions> {
  api: Api;
  options: O;
  terminal: Terminal;
}
