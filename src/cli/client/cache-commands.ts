import { Command, Option } from 'commander';
import { listOutputOption, type ColourOptions, type Run } from '#cli/command-options.ts';
import type { CachesOptions } from './change-caches.ts';
import { addServerOptions, EXIT_CODES_HELP, teamOption } from './client-options.ts';

/** Commands for the caches of resources and jobs. */
export function cachesCommand(run: Run): Command {
  const group = new Command('caches').description('caches of resources and jobs: list, clear');
  for (const verb of [listCommand, clearCommand]) group.addCommand(verb(run));
  return group;
}

const addPipelineOption = (command: Command): Command =>
  addServerOptions(
    command
      .addOption(teamOption())
      .addOption(new Option('-p, --pipeline <pipeline>', 'the pipeline').makeOptionMandatory()),
  );

function listCommand(run: Run): Command {
  return addPipelineOption(new Command('list'))
    .addOption(listOutputOption())
    .description('list the caches of a pipeline: size, last use, and what uses them now')
    .addHelpText('after', `\nExamples:\n  millrace caches list --pipeline app\n${EXIT_CODES_HELP}`)
    .action((options: CachesOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { printCaches } = await import('./change-caches.ts');
        return await printCaches(options, terminal);
      }),
    );
}

const CLEAR_EXAMPLES = `
Examples:
  millrace caches clear git.app --pipeline app
  millrace caches clear unit:modules --pipeline app
${EXIT_CODES_HELP}`;

function clearCommand(run: Run): Command {
  return addPipelineOption(
    new Command('clear').argument(
      '<cache>',
      'the resource, such as git.app, or <job>:<cache> for a cache of a job',
    ),
  )
    .description('clear a cache: the next build or check starts with an empty one')
    .addHelpText('after', CLEAR_EXAMPLES)
    .action((cache: string, options: CachesOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { clearCache } = await import('./change-caches.ts');
        return await clearCache(cache, options, terminal);
      }),
    );
}
