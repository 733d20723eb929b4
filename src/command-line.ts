import { Command, CommanderError } from 'commander';
import { VERSION } from '#config';
import { clientCommands } from './cli/client/commands.ts';
import { useTeamOfContext } from './cli/client/default-team.ts';
import { offlineCommands } from './cli/commands.ts';
import { localCommands } from './cli/local/commands.ts';
import { runVerb } from './cli/run-verb.ts';

/** The program with every verb of the command line. */
export function commandLine(examples: string): Command {
  const program = new Command('millrace')
    .description('Runs CI pipelines written in HCL on Kubernetes')
    .version(VERSION, '-V, --version')
    .addHelpText('after', examples)
    .showHelpAfterError('(run millrace --help for the list of commands)')
    .exitOverride();
  for (const command of [...offlineCommands(runVerb), ...localCommands(runVerb), ...clientCommands(runVerb)])
    program.addCommand(inheritSettings(command, program));
  useTeamOfContext(program, {});
  return program;
}

/** Runs what the arguments of the process ask for, and sets its exit code. */
export async function parseCommandLine(program: Command): Promise<void> {
  setHelpAfterErrors(program, 'millrace');
  try {
    await program.parseAsync();
  } catch (error) {
    // Commander has printed its message; help and version were requested.
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? 0 : 2;
  }
}

function inheritSettings(command: Command, parent: Command): Command {
  for (const verb of command.commands) inheritSettings(verb, command.copyInheritedSettings(parent));
  return command.copyInheritedSettings(parent);
}

/** Lets the usage error of each command point to the command's own help. */
function setHelpAfterErrors({ commands }: Command, path: string): void {
  for (const command of commands) {
    const words = `${path} ${command.name()}`;
    command.showHelpAfterError(`(run ${words} --help for its arguments)`);
    setHelpAfterErrors(command, words);
  }
}
