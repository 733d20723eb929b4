import { Command, Option } from 'commander';
import {
  addVariableOptions,
  listOutputOption,
  outputOption,
  type ColourOptions,
  type Run,
} from '#cli/command-options.ts';
import type { VariableOptions } from '#cli/read-variables.ts';
import { CommandError, type Terminal } from '#cli/terminal.ts';
import type { CreateOptions, RenameOptions, UpdateOptions } from './change-pipelines.ts';
import { addServerOptions, EXIT_CODES_HELP, exitCodesHelp, teamOption } from './client-options.ts';
import type { DiffOptions } from './diff-pipeline.ts';
import type { TeamOptions } from './team-options.ts';

interface NameOption {
  name?: string;
}

/** The name of the pipeline, which is an argument or an option. */
function nameOf(argument: string | undefined, { name }: NameOption): string {
  const chosen = argument ?? name;
  if (chosen === undefined)
    throw new CommandError('no pipeline given: name it as the argument or with --name');
  if (name !== undefined && argument !== undefined && name !== argument)
    throw new CommandError(`two different names given, ${argument} and ${name}: remove one`);
  return chosen;
}

const addNameArgument = (command: Command, makeOutput = outputOption): Command =>
  addServerOptions(
    command
      .argument('[name]', 'the pipeline')
      .option('-n, --name <name>', 'the pipeline, instead of the argument')
      .addOption(teamOption())
      .addOption(makeOutput()),
  );

const CONFIG_HELP = 'HCL file; - reads standard input';
const EXIT_1_IF_NOT_RUNNING = 'the pipeline has errors, or does not run yet';

const addSettingOptions = (command: Command): Command =>
  addVariableOptions(command)
    .option('--public', 'let anyone see its structure and states')
    .addOption(new Option('--private', 'let only the team see it').conflicts('public'))
    .option('--display-name <text>', 'name shown to people; empty removes it');

/** Commands that list and change pipelines. */
export function pipelinesCommand(run: Run): Command {
  const group = new Command('pipelines').description(
    'pipelines of a team: list, get, create, update, validate, rename, delete, pause, unpause',
  );
  const readingVerbs = [listCommand, getCommand];
  const changingVerbs = [createCommand, updateCommand, validateCommand, renameCommand, deleteCommand];
  const pausingVerbs = [pauseCommand, unpauseCommand];
  for (const verb of [...readingVerbs, ...changingVerbs, ...pausingVerbs]) group.addCommand(verb(run));
  return group;
}

function listCommand(run: Run): Command {
  return addServerOptions(new Command('list').addOption(teamOption()).addOption(listOutputOption()))
    .description('list the pipelines of a team')
    .addHelpText(
      'after',
      `
Examples:
  millrace pipelines list
  millrace pipelines list --team shop --output json
  millrace pipelines list -o jsonpath='{range .items[*]}{.name}{"\\n"}{end}'
${EXIT_CODES_HELP}`,
    )
    .action((options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { listPipelines } = await import('./list-commands.ts');
        return await listPipelines(options, terminal);
      }),
    );
}

function getCommand(run: Run): Command {
  return addNameArgument(new Command('get'), listOutputOption)
    .description('show a pipeline, or its HCL text')
    .option('--config', 'print the HCL text; of a pipeline that a manifest manages, once it runs')
    .addHelpText(
      'after',
      `\nExamples:\n  millrace pipelines get app\n  millrace pipelines get app --config > app.hcl\n${EXIT_CODES_HELP}`,
    )
    .action(
      (name: string | undefined, options: TeamOptions & NameOption & ColourOptions & { config?: boolean }) =>
        run(options.color, async (terminal) => {
          const { getPipeline } = await import('./list-commands.ts');
          return await getPipeline(nameOf(name, options), options, terminal);
        }),
    );
}

function createCommand(run: Run): Command {
  return addSettingOptions(
    addNameArgument(new Command('create')).requiredOption('-c, --config <file>', CONFIG_HELP),
  )
    .description('create a pipeline from an HCL text')
    .addHelpText(
      'after',
      `
If the text has errors, the command shows them like millrace validate and creates nothing.
Anyone who may read the Pipeline object can read its variables: put secrets into Secrets.

Examples:
  millrace pipelines create app -c app.hcl
  millrace pipelines create -n app -c app.hcl --team shop --vars prod.json --var branch=main --public
${exitCodesHelp(EXIT_1_IF_NOT_RUNNING)}`,
    )
    .action((name: string | undefined, options: CreateOptions & NameOption & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { pipelinesCreate } = await import('./change-pipelines.ts');
        return await pipelinesCreate(nameOf(name, options), options, terminal);
      }),
    );
}

function updateCommand(run: Run): Command {
  return addSettingOptions(addNameArgument(new Command('update')).option('-c, --config <file>', CONFIG_HELP))
    .description('update a pipeline, and show what changes')
    .option('--dry-run', 'show what would change and whether it is valid; change nothing')
    .addHelpText(
      'after',
      `
The command changes only what you set. It keeps pauses, pins, webhook tokens and running builds.
With --vars, the files and --var together replace all variables. With --var alone, the other
variables stay.

Examples:
  millrace pipelines update app -c app.hcl
  millrace pipelines update app --public
  millrace pipelines update app -c app.hcl --vars prod.json --dry-run
${exitCodesHelp(EXIT_1_IF_NOT_RUNNING)}`,
    )
    .action((name: string | undefined, options: UpdateOptions & NameOption & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { pipelinesUpdate } = await import('./change-pipelines.ts');
        return await pipelinesUpdate(nameOf(name, options), options, terminal);
      }),
    );
}

function validateCommand(run: Run): Command {
  return addServerOptions(
    addVariableOptions(new Command('validate').argument('<file>', CONFIG_HELP))
      .addOption(teamOption())
      .addOption(outputOption()),
  )
    .description('let the server validate an HCL text; it stores nothing')
    .addHelpText(
      'after',
      `
millrace validate does the same without a server. This command uses the version of Millrace that will
run the pipeline.

Examples:
  millrace pipelines validate app.hcl --var branch=main
${exitCodesHelp('the pipeline has errors')}`,
    )
    .action((file: string, options: TeamOptions & VariableOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { validateOnServer } = await import('./change-pipelines.ts');
        return await validateOnServer(file, options, terminal);
      }),
    );
}

function renameCommand(run: Run): Command {
  return addNameArgument(new Command('rename'))
    .requiredOption('--new-name <name>', 'the new name')
    .description('rename a pipeline that was created through the API; it keeps its history')
    .addHelpText(
      'after',
      `
Links and badges with the old name stop working; webhooks continue. You cannot rename a pipeline
while a build runs.

Examples:
  millrace pipelines rename app --new-name web
${exitCodesHelp('the renamed pipeline does not run yet, or gets its new name later')}`,
    )
    .action((name: string | undefined, options: RenameOptions & NameOption & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { pipelinesRename } = await import('./change-pipelines.ts');
        return await pipelinesRename(nameOf(name, options), options, terminal);
      }),
    );
}

function deleteCommand(run: Run): Command {
  return addNameArgument(new Command('delete'))
    .description('delete a pipeline that was created through the API; its history stays')
    .option('-y, --yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace pipelines delete app\n' +
        `  millrace pipelines delete app --team shop --yes\n${EXIT_CODES_HELP}`,
    )
    .action(
      (name: string | undefined, options: TeamOptions & NameOption & ColourOptions & { yes?: boolean }) =>
        run(options.color, async (terminal: Terminal) => {
          const { pipelinesDelete } = await import('./change-pipelines.ts');
          return await pipelinesDelete(nameOf(name, options), options, terminal);
        }),
    );
}

function pauseCommand(run: Run): Command {
  return addNameArgument(new Command('pause'))
    .description('pause a pipeline and all its jobs: no build starts; running builds continue')
    .addHelpText(
      'after',
      `
Millrace still checks the resources. Versions that it finds meanwhile do not trigger builds later.
If the manifest sets paused, the server refuses this command.

Examples:
  millrace pipelines pause app
${EXIT_CODES_HELP}`,
    )
    .action((name: string | undefined, options: TeamOptions & NameOption & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { sendPause } = await import('./pauses.ts');
        return await sendPause({ pipeline: nameOf(name, options) }, 'pause', { options, terminal });
      }),
    );
}

function unpauseCommand(run: Run): Command {
  return addNameArgument(new Command('unpause'))
    .description('unpause a pipeline and all its jobs')
    .addHelpText('after', `\nExamples:\n  millrace pipelines unpause app\n${EXIT_CODES_HELP}`)
    .action((name: string | undefined, options: TeamOptions & NameOption & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { sendPause } = await import('./pauses.ts');
        return await sendPause({ pipeline: nameOf(name, options) }, 'unpause', { options, terminal });
      }),
    );
}

/** The command that compares a local text with the pipeline on the server. */
export function diffCommand(run: Run): Command {
  return addVariableOptions(
    addNameArgument(new Command('diff')).requiredOption('-c, --config <file>', CONFIG_HELP),
  )
    .description('show how a local HCL text differs from a pipeline on the server')
    .addHelpText(
      'after',
      `
Without a difference, it prints nothing. Variables of a pipeline that a manifest manages are
not compared. The command names the variables that differ, but never shows values.

Examples:
  millrace diff app -c app.hcl
  millrace diff app -c app.hcl --vars prod.json
${exitCodesHelp('they differ')}`,
    )
    .action((name: string | undefined, options: DiffOptions & NameOption & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { diffPipeline } = await import('./diff-pipeline.ts');
        return await diffPipeline(nameOf(name, options), options, terminal);
      }),
    );
}
