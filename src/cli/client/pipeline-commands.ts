import { Command, Option } from 'commander';
import type { Coloured, Run } from '#cli/command-options.ts';
import { variables } from '#cli/command-options.ts';
import type { VariableOptions } from '#cli/read-variables.ts';
import type { Terminal } from '#cli/terminal.ts';
import { Misuse } from '#cli/terminal.ts';
import type { CreateOptions, RenameOptions, UpdateOptions } from './change-pipelines.ts';
import { EXITS, exitsOf, output, server, team } from './client-options.ts';
import type { TeamOptions } from './team-options.ts';

interface Named {
  name?: string;
}

/** As an argument or, as scripts like it, as an option. */
function nameOf(argument: string | undefined, { name }: Named): string {
  const given = argument ?? name;
  if (given === undefined) throw new Misuse('name the pipeline');
  if (name !== undefined && argument !== undefined && name !== argument)
    throw new Misuse(`two names are given, ${argument} and ${name}: leave one out`);
  return given;
}

const named = (command: Command): Command =>
  server(
    command
      .argument('[name]', 'the pipeline')
      .option('-n, --name <name>', 'the pipeline, in place of the argument')
      .addOption(team())
      .addOption(output()),
  );

const CONFIG = 'file with the text in HCL; - is standard input';
const NOT_RUNNING = 'the pipeline has errors, or does not run yet';

const settings = (command: Command): Command =>
  variables(command)
    .option('--public', 'everybody may see its structure and states')
    .addOption(new Option('--private', 'only the team sees it').conflicts('public'))
    .option('--display-name <text>', 'a name for people; empty: none');

/** What there is, and what becomes of it. */
export function pipelinesCommand(run: Run): Command {
  const group = new Command('pipelines').description(
    'pipelines of a team: see, make, change, rename, delete',
  );
  const looking = [listCommand, getCommand];
  const changing = [createCommand, updateCommand, validateCommand, renameCommand, deleteCommand];
  for (const verb of [...looking, ...changing]) group.addCommand(verb(run));
  return group;
}

function listCommand(run: Run): Command {
  return server(new Command('list').addOption(team()).addOption(output()))
    .description('show the pipelines of a team')
    .addHelpText(
      'after',
      `\nExamples:\n  millrace pipelines list\n  millrace pipelines list --team shop --output json\n${EXITS}`,
    )
    .action((options: TeamOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { listPipelines } = await import('./look.ts');
        return await listPipelines(options, terminal);
      }),
    );
}

function getCommand(run: Run): Command {
  return named(new Command('get'))
    .description('show a pipeline, or the text that it was made of')
    .option('--config', 'the text in HCL, of a pipeline that the API made')
    .addHelpText(
      'after',
      `\nExamples:\n  millrace pipelines get app\n  millrace pipelines get app --config > app.hcl\n${EXITS}`,
    )
    .action((name: string | undefined, options: TeamOptions & Named & Coloured & { config?: boolean }) =>
      run(options.color, async (terminal) => {
        const { getPipeline } = await import('./look.ts');
        return await getPipeline(nameOf(name, options), options, terminal);
      }),
    );
}

function createCommand(run: Run): Command {
  return settings(named(new Command('create')).requiredOption('-c, --config <file>', CONFIG))
    .description('make a pipeline of a text')
    .addHelpText(
      'after',
      `
Errors are shown as millrace validate shows them, and nothing is made. Everybody who may read the Pipeline object reads its variables:
secrets belong into Secrets.

Examples:
  millrace pipelines create app -c app.hcl
  millrace pipelines create -n app -c app.hcl --team shop --vars prod.json --var branch=main --public
${exitsOf(NOT_RUNNING)}`,
    )
    .action((name: string | undefined, options: CreateOptions & Named & Coloured) =>
      run(options.color, async (terminal) => {
        const { createPipeline } = await import('./change-pipelines.ts');
        return await createPipeline(nameOf(name, options), options, terminal);
      }),
    );
}

function updateCommand(run: Run): Command {
  return settings(named(new Command('update')).option('-c, --config <file>', CONFIG))
    .description('change a pipeline, and show what differs')
    .option('--dry-run', 'show what would differ and whether it is valid; change nothing')
    .addHelpText(
      'after',
      `
What is not named stays, and so do pauses, pins, webhook tokens and running builds. --vars files tell all variables that there shall be; --var
alone goes over those that are there.

Examples:
  millrace pipelines update app -c app.hcl
  millrace pipelines update app --public
  millrace pipelines update app -c app.hcl --vars prod.json --dry-run
${exitsOf(NOT_RUNNING)}`,
    )
    .action((name: string | undefined, options: UpdateOptions & Named & Coloured) =>
      run(options.color, async (terminal) => {
        const { updatePipeline } = await import('./change-pipelines.ts');
        return await updatePipeline(nameOf(name, options), options, terminal);
      }),
    );
}

function validateCommand(run: Run): Command {
  return server(
    variables(new Command('validate').argument('<file>', CONFIG)).addOption(team()).addOption(output()),
  )
    .description('ask the server what is wrong with a text; it keeps nothing')
    .addHelpText(
      'after',
      `
millrace validate does the same without a server; this one judges as the version does that will run it.

Examples:
  millrace pipelines validate app.hcl --var branch=main
${exitsOf('the pipeline has errors')}`,
    )
    .action((file: string, options: TeamOptions & VariableOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { validateThere } = await import('./change-pipelines.ts');
        return await validateThere(file, options, terminal);
      }),
    );
}

function renameCommand(run: Run): Command {
  return named(new Command('rename'))
    .requiredOption('--new-name <name>', 'the name that it gets')
    .description('give a pipeline that the API made another name; its history goes with it')
    .addHelpText(
      'after',
      `
Links and badges with the old name end; webhooks go on. It is refused while a build runs.

Examples:
  millrace pipelines rename app --new-name shop
${exitsOf('the pipeline has the new name and does not run yet, or gets it later')}`,
    )
    .action((name: string | undefined, options: RenameOptions & Named & Coloured) =>
      run(options.color, async (terminal) => {
        const { renamePipeline } = await import('./change-pipelines.ts');
        return await renamePipeline(nameOf(name, options), options, terminal);
      }),
    );
}

function deleteCommand(run: Run): Command {
  return named(new Command('delete'))
    .description('delete a pipeline that the API made; its history is kept')
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      `\nExamples:\n  millrace pipelines delete app\n  millrace pipelines delete app --team shop --yes\n${EXITS}`,
    )
    .action((name: string | undefined, options: TeamOptions & Named & Coloured & { yes?: boolean }) =>
      run(options.color, async (terminal: Terminal) => {
        const { deletePipeline } = await import('./change-pipelines.ts');
        return await deletePipeline(nameOf(name, options), options, terminal);
      }),
    );
}
