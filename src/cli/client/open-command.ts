import { Command } from 'commander';
import type { ColourOptions, Run } from '#cli/command-options.ts';
import {
  addServerOptions,
  EXIT_CODES_HELP,
  parseBuildName,
  parsePipelineOrJob,
  teamOption,
} from './client-options.ts';
import type { OpenOptions, PageName } from './open-page.ts';

const parsePage = (text: string): PageName =>
  text.split(/[/#]/).length > 2 ? parseBuildName(text) : parsePipelineOrJob(text);

/** The command that opens a page of the server. */
export function openCommand(run: Run): Command {
  return addServerOptions(
    new Command('open')
      .argument('[page]', 'the pipeline, <pipeline>/<job> or <pipeline>/<job>/<build>', parsePage)
      .addOption(teamOption()),
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
    .action((page: PageName | undefined, options: OpenOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { openPage } = await import('./open-page.ts');
        return await openPage(page ?? {}, options, terminal);
      }),
    );
}
