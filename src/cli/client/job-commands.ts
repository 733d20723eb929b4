import { Command } from 'commander';
import {
  collectValues,
  listOutputOption,
  outputOption,
  type ColourOptions,
  type Run,
} from '#cli/command-options.ts';
import {
  addServerOptions,
  EXIT_CODES_HELP,
  exitCodesHelp,
  parseJobName,
  parsePipelineOrJob,
  teamOption,
} from './client-options.ts';
import type { TeamOptions } from './team-options.ts';
import type { JobArgument, TriggerOptions } from './watch.ts';

/** Commands for the jobs of a pipeline. */
export function jobsCommand(run: Run): Command {
  const group = new Command('jobs').description('jobs of a pipeline: list, pause, unpause');
  for (const verb of [listCommand, pauseCommand, unpauseCommand]) group.addCommand(verb(run));
  return group;
}

function listCommand(run: Run): Command {
  return addServerOptions(
    new Command('list')
      .argument('<pipeline>', 'the pipeline')
      .addOption(teamOption())
      .addOption(listOutputOption()),
  )
    .description('list the jobs of a pipeline, each with its newest build')
    .addHelpText('after', `\nExamples:\n  millrace jobs list app\n${EXIT_CODES_HELP}`)
    .action((pipeline: string, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { listJobs } = await import('./list-commands.ts');
        return await listJobs(pipeline, options, terminal);
      }),
    );
}

const addJobArgument = (command: Command): Command =>
  addServerOptions(
    command
      .argument('<pipeline/job>', 'the job', parseJobName)
      .addOption(teamOption())
      .addOption(outputOption()),
  );

function pauseCommand(run: Run): Command {
  return addJobArgument(new Command('pause'))
    .description('pause a job: no build of it starts; running builds continue')
    .addHelpText('after', `\nExamples:\n  millrace jobs pause app/deploy\n${EXIT_CODES_HELP}`)
    .action((job: JobArgument, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { sendPause } = await import('./pauses.ts');
        return await sendPause(job, 'pause', { options, terminal });
      }),
    );
}

function unpauseCommand(run: Run): Command {
  return addJobArgument(new Command('unpause'))
    .description('unpause a job, even while its pipeline is paused')
    .addHelpText('after', `\nExamples:\n  millrace jobs unpause app/deploy\n${EXIT_CODES_HELP}`)
    .action((job: JobArgument, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { sendPause } = await import('./pauses.ts');
        return await sendPause(job, 'unpause', { options, terminal });
      }),
    );
}

export function triggerCommand(run: Run): Command {
  return addServerOptions(
    new Command('trigger')
      .argument('<pipeline/job>', 'the job', parseJobName)
      .addOption(teamOption())
      .addOption(outputOption()),
  )
    .description('start a build of a job with the newest versions that it can take')
    .option('-w, --watch', 'follow the build to its end')
    .option('--input <name=value>', 'value of an input of the job; repeatable', collectValues)
    .option('--no-check', 'use the known versions; do not check for newer ones first')
    .addHelpText(
      'after',
      `
Millrace first checks the resources that the job gets without passed. It waits at most 25 seconds.
Then it creates the build and says which checks failed or did not end. If you interrupt the command,
Millrace still creates the build.

An input without a default needs a value. Separate the values of a list by commas. If a value is
wrong, missing or unknown, the command lists every reason and Millrace creates no build. Inputs are
not secret: the build shows them.

Examples:
  millrace trigger app/unit
  millrace trigger app/unit --no-check
  millrace trigger app/publish --team shop --watch
  millrace trigger app/deploy --input environment=prod --input targets=eu,us
${exitCodesHelp('with --watch the build failed or was cancelled')}`,
    )
    .action((job: JobArgument, options: TriggerOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { trigger } = await import('./watch.ts');
        return await trigger(job, options, terminal);
      }),
    );
}

/** The command that explains why jobs get no build and pending builds do not start. */
export function whyCommand(run: Run): Command {
  return addServerOptions(
    new Command('why')
      .argument('<pipeline/job>', 'the job; or <pipeline> for all its jobs', parsePipelineOrJob)
      .addOption(teamOption())
      .addOption(outputOption()),
  )
    .description('say why a job gets no build, and why its pending builds do not start')
    .addHelpText(
      'after',
      `
docs/reference/waiting.md in the source repository explains each code.

Examples:
  millrace why app/unit
  millrace why app --team shop
${EXIT_CODES_HELP}`,
    )
    .action((target: { pipeline: string; job?: string }, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { explainWaiting } = await import('./why.ts');
        return await explainWaiting(target, options, terminal);
      }),
    );
}
