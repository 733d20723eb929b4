import { Command } from 'commander';
import type { ColourOptions, Run } from '#cli/command-options.ts';
import { addServerOptions, parseBuildName, teamOption } from './client-options.ts';
import type { DebugOptions } from './debug.ts';
import type { JobArgument } from './watch.ts';

/** The command that opens a shell in a running step. */
export function debugCommand(run: Run): Command {
  return addServerOptions(
    new Command('debug')
      .argument('<pipeline/job/build>', 'the build; without a number, the newest', parseBuildName)
      .argument('[command...]', 'what to run instead of a shell; write it after --')
      .addOption(teamOption())
      .option('--step <step>', 'name or id of the step, if several run'),
  )
    .description('open a shell in a running step of a build')
    .addHelpText(
      'after',
      `
The shell is bash, or sh if the image has no bash. It has the environment, the files and the secrets of
the step, and ends with it. The team has to allow it (spec.debug of the Team), and you need the role
maintain. The audit log records each session.

If you are at a terminal, the shell has one too. To leave a shell that does not answer, press Enter,
then ~ and a full stop. Without a terminal, the command sends its standard input and prints the output.

Examples:
  millrace debug app/unit
  millrace debug app/unit/7 --step test
  millrace debug app/unit -- ls -l
  millrace debug app/unit -- cat report.xml > report.xml

Exit codes: that of the shell or command; 2: usage error, or there is no shell, or its step ended first.`,
    )
    .action(
      (build: JobArgument & { build?: string }, command: string[], options: DebugOptions & ColourOptions) =>
        run(options.color, async (terminal) => {
          const { debug } = await import('./debug.ts');
          return await debug({ build, command }, options, terminal);
        }),
    );
}
