import type { Command } from 'commander';
import { CommandError, type Terminal } from '#cli/terminal.ts';
import type { ServerOptions } from './connect.ts';

/** Lets every command without --team use the team of its context. */
export function useTeamOfContext(program: Command, terminal: Pick<Terminal, 'environment'>): void {
  program.hook('preAction', async (_program, command) => {
    if (command.getOptionValueSource('team') !== 'default') return;
    const team = await teamOfContext(command.opts(), terminal);
    if (team !== undefined) command.setOptionValueWithSource('team', team, 'config');
  });
}

async function teamOfContext(
  options: ServerOptions,
  terminal: Pick<Terminal, 'environment'>,
): Promise<string | undefined> {
  const { chosenTeam } = await import('./connect.ts');
  try {
    return await chosenTeam(options, terminal);
  } catch (error) {
    // The command itself runs into the same error and prints it.
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
