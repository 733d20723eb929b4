import { Command, Option } from 'commander';
import { listOutputOption, outputOption, type ColourOptions, type Run } from '#cli/command-options.ts';
import type { BuildArgument, RetryOptions, VoteOptions } from './change-builds.ts';
import {
  addServerOptions,
  EXIT_CODES_HELP,
  exitCodesHelp,
  parseBuildName,
  parseJobName,
  parseNumberedBuild,
  parsePositive,
  teamOption,
} from './client-options.ts';
import type { BuildsOptions } from './list-commands.ts';
import type { LogOptions } from './show-build.ts';
import type { TeamOptions } from './team-options.ts';
import type { JobArgument } from './watch.ts';

const STATUSES = ['pending', 'waiting', 'started', 'succeeded', 'failed', 'cancelled', 'warning'];

/** Commands for the builds of a job. */
export function buildsCommand(run: Run): Command {
  const group = new Command('builds').description(
    'builds of a job: list, get, watch, logs, cancel, retry, approve, reject, warn',
  );
  const readingVerbs = [listCommand, getCommand, watchCommand, logsCommand];
  const changingVerbs = [cancelCommand, retryCommand, approveCommand, rejectCommand, warnCommand];
  for (const verb of [...readingVerbs, ...changingVerbs]) group.addCommand(verb(run));
  return group;
}

function listCommand(run: Run): Command {
  return addServerOptions(
    new Command('list')
      .argument('<pipeline/job>', 'the job', parseJobName)
      .addOption(teamOption())
      .addOption(new Option('--status <status>', 'only builds with this status').choices(STATUSES))
      .addOption(
        new Option('--limit <number>', 'maximum number of builds').argParser(parsePositive).default(20),
      )
      .addOption(listOutputOption()),
  )
    .description('list the builds of a job, newest first')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace builds list app/unit\n' +
        `  millrace builds list app/unit --status failed --limit 5\n  millrace builds list app/unit -o wide\n${EXIT_CODES_HELP}`,
    )
    .action((job: JobArgument, options: BuildsOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { listBuilds } = await import('./list-commands.ts');
        return await listBuilds(job, options, terminal);
      }),
    );
}

function watchCommand(run: Run): Command {
  return addServerOptions(
    new Command('watch')
      .argument('<pipeline/job/build>', 'the build; without a number, the newest', parseBuildName)
      .addOption(teamOption())
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
    .action(
      (build: JobArgument & { build?: string }, options: TeamOptions & ColourOptions & { wait?: boolean }) =>
        run(options.color, async (terminal) => {
          const { watch } = await import('./watch.ts');
          return await watch(build, options, terminal);
        }),
    );
}

const addBuildArgument = (command: Command): Command =>
  addServerOptions(
    command
      .argument('<pipeline/job/build>', 'the build; without a number, the newest', parseBuildName)
      .addOption(teamOption()),
  );

function getCommand(run: Run): Command {
  return addBuildArgument(new Command('get'))
    .addOption(listOutputOption())
    .description('show a build: why it has its status, its inputs and its steps')
    .addHelpText(
      'after',
      `\nExamples:\n  millrace builds get app/unit\n  millrace builds get app/unit/7 --output json\n${EXIT_CODES_HELP}`,
    )
    .action((build: JobArgument & { build?: string }, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { showBuild } = await import('./show-build.ts');
        return await showBuild(build, options, terminal);
      }),
    );
}

function logsCommand(run: Run): Command {
  return addBuildArgument(new Command('logs'))
    .description('print the log of a build so far, with all its attempts')
    .option('--timestamps', 'start each line with its time')
    .addHelpText(
      'after',
      `
The exit code does not depend on the status of the build. To wait for its end, and to get an exit
code of 1 if it fails, use millrace builds watch.

Examples:
  millrace builds logs app/unit
  millrace builds logs app/unit/7 --timestamps > log.txt
${EXIT_CODES_HELP}`,
    )
    .action((build: JobArgument & { build?: string }, options: LogOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { printLog } = await import('./show-build.ts');
        return await printLog(build, options, terminal);
      }),
    );
}

const addNumberedBuildArgument = (command: Command): Command =>
  addServerOptions(
    command
      .argument('<pipeline/job/build>', 'the build, such as app/unit/7', parseNumberedBuild)
      .addOption(teamOption())
      .addOption(outputOption()),
  );

function cancelCommand(run: Run): Command {
  return addNumberedBuildArgument(new Command('cancel'))
    .description('cancel a build')
    .addHelpText(
      'after',
      `
A build that has not started ends at once. A running build ends when its current step has stopped.

Examples:
  millrace builds cancel app/unit/7
${EXIT_CODES_HELP}`,
    )
    .action((build: BuildArgument, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { sendCancel } = await import('./change-builds.ts');
        return await sendCancel(build, options, terminal);
      }),
    );
}

function retryCommand(run: Run): Command {
  return addNumberedBuildArgument(new Command('retry'))
    .description('run a build again with the same versions and the same definition')
    .option('-w, --watch', 'follow the new build to its end')
    .addHelpText(
      'after',
      `
A retry of build 7 is build 7.1. To try a changed pipeline, trigger the job instead.

Examples:
  millrace builds retry app/unit/7
  millrace builds retry app/unit/7 --watch
${exitCodesHelp('with --watch the build failed or was cancelled')}`,
    )
    .action((build: BuildArgument, options: RetryOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { sendRetry } = await import('./change-builds.ts');
        return await sendRetry(build, options, terminal);
      }),
    );
}

function approveCommand(run: Run): Command {
  return addNumberedBuildArgument(new Command('approve'))
    .description('approve a build that waits for approval')
    .option('-m, --message <text>', 'a note for the team')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace builds approve app/deploy/3\n' +
        `  millrace builds approve app/deploy/3 --message "looks good"\n${EXIT_CODES_HELP}`,
    )
    .action((build: BuildArgument, options: VoteOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { sendVote } = await import('./change-builds.ts');
        return await sendVote(build, 'approve', { options, terminal });
      }),
    );
}

function rejectCommand(run: Run): Command {
  return addNumberedBuildArgument(new Command('reject'))
    .description('reject a build that waits for approval; the build fails')
    .requiredOption('-m, --message <text>', 'the reason; the team sees it')
    .addHelpText(
      'after',
      `\nExamples:\n  millrace builds reject app/deploy/3 --message "not on a Friday"\n${EXIT_CODES_HELP}`,
    )
    .action((build: BuildArgument, options: VoteOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { sendVote } = await import('./change-builds.ts');
        return await sendVote(build, 'reject', { options, terminal });
      }),
    );
}

function warnCommand(run: Run): Command {
  return addNumberedBuildArgument(new Command('warn'))
    .description('mark a failed build as a warning: from then on it counts as good for passed')
    .addHelpText('after', `\nExamples:\n  millrace builds warn app/unit/7\n${EXIT_CODES_HELP}`)
    .action((build: BuildArgument, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { sendWarning } = await import('./change-builds.ts');
        return await sendWarning(build, options, terminal);
      }),
    );
}
