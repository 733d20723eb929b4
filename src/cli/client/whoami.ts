import { printResult, type OutputOptions } from '#cli/output.ts';
import { EXIT, type Exit, type Terminal } from '#cli/terminal.ts';
import { connect, type ServerOptions } from './connect.ts';
import type { UserJson } from './response-types.ts';
import { ownerOfToken } from './token-owner.ts';

export async function whoami(options: ServerOptions & OutputOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const user = await ownerOfToken(api);
  const fields = user && { username: user.username, global_admin: user.global_admin, teams: user.teams };
  await printResult({ url: api.url, ...fields }, options, terminal, () => sentence(api.url, user));
  return EXIT.success;
}

function sentence(url: string, user: UserJson | undefined): string {
  if (user === undefined)
    return `You use a token of a team or of the installation at ${url}. It belongs to no account.\n`;
  const teams = Object.entries(user.teams).map(([team, role]) => `${team} (${role})`);
  const reach = user.global_admin ? ['every team (global admin)'] : teams;
  return `${user.username} at ${url}: ${reach.length === 0 ? 'in no team' : reach.join(', ')}\n`;
}
