import { Command } from 'commander';
import {
  addVariableOptions,
  collectValues,
  colourOption,
  type ColourOptions,
  type Run,
} from '#cli/command-options.ts';
import type { RunJobOptions } from './run-job.ts';

/** The verb that runs a job on this machine. */
export function localCommands(run: Run): Command[] {
  return [runCommand(run).helpGroup('Without a cluster:')];
}

function runCommand(run: Run): Command {
  return addVariableOptions(
    new Command('run')
      .requiredOption('-p, --file <file>', 'HCL, or a manifest with Pipelines; - reads standard input')
      .option(
        '-j, --job <name>',
        'the job; with for_each or matrix, one instance such as test--linux; needed if there are several',
      )
      .option('--pipeline <name>', 'the Pipeline, if the file has several: <namespace>/<name> or <name>'),
  )
    .description('run a job on this machine, with the steps and hooks of a real build')
    .option('--input <name=value>', 'value of an input of the job; repeatable', collectValues)
    .option(
      '--resource <type.name=path>',
      'use a copy of this local directory instead of fetching the resource; repeatable',
      collectValues,
    )
    .option('--put', 'run put steps; without it, the command shows them and pushes nothing')
    .option('--notify', 'send notifications; without it, the command shows them')
    .option('--approve', 'approve a job that waits for an approval')
    .option(
      '--engine <program>',
      'the program that runs containers (default: docker or podman, whichever is on PATH)',
    )
    .option('--keep', 'keep the work directory')
    .addOption(colourOption())
    .addHelpText('after', HELP)
    .action((options: RunJobOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { runJob } = await import('./run-job.ts');
        return await runJob(options, terminal);
      }),
    );
}

const HELP = `
Steps with exec or shell run on this machine, in a new work directory with an empty home directory.
They need the programs that they call. Steps and services with an image run in containers that share
the network of this machine. The command needs Linux.

The log goes to standard output, everything else to standard error. Ctrl-C cancels the job: its
on_cancel and ensure hooks run. A second Ctrl-C kills it.

The command checks each resource for its newest version, unless --resource replaces it. The value of
a secret variable comes from --var, from the environment variable MILLRACE_VAR_<name>, or, for the
type env, from the environment variable of its key. The log does not show it.

Examples:
  millrace run -p pipeline.hcl -j unit --resource git.app=.
  millrace run -p pipeline.hcl -j lint --var branch=main --vars values.json
  millrace run -p pipeline.hcl -j deploy --input environment=staging --approve
  MILLRACE_VAR_token=$(cat token) millrace run -p pipeline.hcl -j publish --put
  millrace run -p pipeline.hcl -j integration --engine podman --keep

Exit codes: 0: success; 1: the job failed or was cancelled, or the pipeline has errors; 2: usage error,
or the job could not start.`;
