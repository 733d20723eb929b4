import { Command } from 'commander';
import { colourOption, listOutputOption, type ColourOptions, type Run } from '#cli/command-options.ts';
import type { OutputOptions } from '#cli/output.ts';
import { contextOption, EXIT_CODES_HELP } from './client-options.ts';

/** Commands for the contexts that logins store on this machine. */
export function contextsCommand(run: Run): Command {
  const group = new Command('contexts').description(
    'servers and teams that you switch between: list, use, set-team, delete',
  );
  for (const verb of [listCommand, useCommand, setTeamCommand, deleteCommand]) group.addCommand(verb(run));
  return group;
}

function listCommand(run: Run): Command {
  return new Command('list')
    .addOption(listOutputOption())
    .addOption(colourOption())
    .description('list the contexts of this machine')
    .addHelpText(
      'after',
      `
A context has a name, a server and a team. millrace login creates one for each server;
millrace login --context creates more. They share the login of their server.

Examples:
  millrace contexts list
  millrace contexts list -o name
${EXIT_CODES_HELP}`,
    )
    .action((options: OutputOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { listContexts } = await import('./change-contexts.ts');
        return await listContexts(options, terminal);
      }),
    );
}

function useCommand(run: Run): Command {
  return new Command('use')
    .argument('<name>', 'the context')
    .addOption(colourOption())
    .description('make this the current context: commands use its server and its team')
    .addHelpText(
      'after',
      `
--url, --context, --team, MILLRACE_URL and MILLRACE_TOKEN take precedence over it.

Examples:
  millrace contexts use work
${EXIT_CODES_HELP}`,
    )
    .action((name: string, options: ColourOptions) =>
      run(options.color, async (terminal) => {
        const { useContext } = await import('./change-contexts.ts');
        return await useContext(name, terminal);
      }),
    );
}

function setTeamCommand(run: Run): Command {
  return new Command('set-team')
    .argument('<team>', 'the team')
    .addOption(contextOption())
    .addOption(colourOption())
    .description('set the team that commands use without --team')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace contexts set-team shop\n' +
        `  millrace contexts set-team shop --context work\n${EXIT_CODES_HELP}`,
    )
    .action((team: string, options: ColourOptions & { context?: string }) =>
      run(options.color, async (terminal) => {
        const { setContextTeam } = await import('./change-contexts.ts');
        return await setContextTeam(team, options, terminal);
      }),
    );
}

function deleteCommand(run: Run): Command {
  return new Command('delete')
    .argument('<name>', 'the context')
    .addOption(colourOption())
    .description('delete a context; the last one of a server also ends the login there')
    .addHelpText('after', `\nExamples:\n  millrace contexts delete work\n${EXIT_CODES_HELP}`)
    .action((name: string, options: ColourOptions) =>
      run(options.color, async (terminal) => {
        const { deleteContext } = await import('./change-contexts.ts');
        return await deleteContext(name, terminal);
      }),
    );
}
