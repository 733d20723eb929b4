import { Command } from 'commander';
import type { Coloured, Run } from '#cli/command-options.ts';
import { EXIT_CODES_HELP, parseBuildName, parsePipelineOrJob, server, team } from './client-options.ts';
import type { OpenOptions, PageName } from './open-page.ts';

const parsePage = (given: string): PageName =>
  given.split(/[/#]/).length > 2 ? parseBuildName(given) : parsePipelineOrJob(given);

/** Opens a page of the server. */
export function openCommand(run: Run): Command {
  return server(
    new Command('open')
      .argument('[page]', 'the pipeline, <pipeline>/<job> or <pipeline>/<job>/<build>', parsePage)
      .addOption(team()),
  )
    .description(
      'print the address of a page and open it in your browser; without an argument, the page of the team',
    )
    .option('--print', 'only print the address')
    .addHelpText(
      'after',
      `
Examples:
  millrace open
  millrace open app --print
  millrace open app/unit/7 --team shop --print
${EXIT_CODES_HELP}`,
    )
    .action((page: PageName | undefined, options: OpenOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { openPage } = await import('./open-page.ts');
        return await openPage(page ?? {}, options, terminal);
      }),
    );
}
