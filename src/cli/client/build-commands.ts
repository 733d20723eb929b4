import { Command, Option } from 'commander';
import type { Coloured, Run } from '#cli/command-options.ts';
import {
  EXIT_CODES_HELP,
  exitCodesHelp,
  output,
  parseBuildName,
  parseJobName,
  parsePositive,
  server,
  team,
} from './client-options.ts';
import type { BuildsOptions } from './list-commands.ts';
import type { TeamOptions } from './team-options.ts';
import type { JobArgument } from './watch.ts';

const STATUSES = ['pending', 'waiting', 'started', 'succeeded', 'failed', 'cancelled', 'warning'];

/** Commands for the builds of a job. */
export function buildsCommand(run: Run): Command {
  const list = server(
    new Command('list')
      .argument('<pipeline/job>', 'the job', parseJobName)
      .addOption(team())
      .addOption(new Option('--status <status>', 'only builds with this status').choices(STATUSES))
      .addOption(
        new Option('--limit <number>', 'maximum number of builds').argParser(parsePositive).default(20),
      )
      .addOption(output()),
  )
    .description('list the builds of a job, newest first')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace builds list app/unit\n' +
        `  millrace builds list app/unit --status failed --limit 5\n${EXIT_CODES_HELP}`,
    )
    .action((job: JobArgument, options: BuildsOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { listBuilds } = await import('./list-commands.ts');
        return await listBuilds(job, options, terminal);
      }),
    );
  return new Command('builds').description('builds of a job').addCommand(list).addCommand(watchCommand(run));
}

function watchCommand(run: Run): Command {
  return server(
    new Command('watch')
      .argument('<pipeline/job/build>', 'the build; without a number, the newest', parseBuildName)
      .addOption(team())
      .option('--wait', 'if the job has no build yet, wait for the first one'),
  )
    .description('follow a build to its end, or show the log of a finished build')
    .addHelpText(
      'after',
      `
The log goes to standard output, and the status of the build to standard error. If the connection
breaks, the command reconnects; no line is lost or repeated. If you stop watching, the build continues.

Examples:
  millrace builds watch app/unit
  millrace builds watch app/unit --wait
  millrace builds watch app/unit/7 > log.txt
${exitCodesHelp('the build failed or was cancelled')}`,
    )
    .action((build: JobArgument & { build?: string }, options: TeamOptions & Coloured & { wait?: boolean }) =>
      run(options.color, async (terminal) => {
        const { watch } = await import('./watch.ts');
        return await watch(build, options, terminal);
      }),
    );
}
