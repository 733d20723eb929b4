import { Argument, Command, Option } from 'commander';
import {
  addVariableOptions,
  colourOption,
  listOutputOption,
  offlineExitCodesHelp,
  type ColourOptions,
  type Run,
} from './command-options.ts';
import type { Shell } from './completion/completion-script.ts';
import type { ConvertOptions } from './convert.ts';
import type { FormatOptions } from './format.ts';
import type { GraphVerbOptions } from './graph.ts';
import type { TypesOptions } from './list-types.ts';
import type { PlanVerbOptions } from './plan.ts';
import { EXIT } from './terminal.ts';
import type { ValidateOptions } from './validate.ts';

const FILE = 'HCL, or a manifest with Pipelines (YAML or JSON); - reads standard input';

const addPipelineArgument = (command: Command): Command =>
  addVariableOptions(command.argument('<file>', FILE)).option(
    '--pipeline <name>',
    'the Pipeline, if the file has several: <namespace>/<name> or <name>',
  );

const TYPE_KINDS = ['resource_type', 'notification_type', 'service_type', 'secret_type', 'runner_type'];

/** The verbs that need no cluster. */
export function offlineCommands(run: Run): Command[] {
  const commands = [
    validateCommand(run),
    formatCommand(run),
    convertCommand(run),
    graphCommand(run),
    planCommand(run),
    typesCommand(run),
    completionCommand(run),
  ];
  return commands.map((command) => command.helpGroup('Without a cluster:'));
}

function validateCommand(run: Run): Command {
  return addVariableOptions(new Command('validate').argument('<file...>', FILE))
    .description('validate pipelines offline')
    .addOption(
      new Option('--output <form>', 'output format: for people, programs or code hosts')
        .choices(['text', 'json', 'sarif'])
        .default('text'),
    )
    .addOption(colourOption())
    .addHelpText(
      'after',
      `
Variables from a Secret (a secret block or varsFrom) need no value here. The command
fetches no source: it knows the types in the text and those that come with Millrace.

Examples:
  millrace validate pipeline.hcl
  millrace validate --var branch=main --vars values.json pipeline.hcl
  millrace validate deploy/*.yaml --output sarif > millrace.sarif
  kustomize build . | millrace validate -
${offlineExitCodesHelp('a pipeline has errors')}`,
    )
    .action((files: string[], options: ValidateOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { validate } = await import('./validate.ts');
        return validate(files, options, terminal);
      }),
    );
}

function formatCommand(run: Run): Command {
  return new Command('fmt')
    .argument(
      '[file...]',
      'HCL, or a manifest with Pipelines (YAML only, ' +
        'because JSON has no multi-line text); - or no file reads standard input',
    )
    .description("format pipelines in HCL's usual layout; in a manifest, format only the HCL text")
    .option('--check', 'change nothing; list the files that would change')
    .addOption(colourOption())
    .addHelpText(
      'after',
      `
The command rewrites the files and lists those that changed. Formatted standard input goes to
standard output.

Examples:
  millrace fmt pipeline.hcl deploy/pipeline.yaml
  millrace fmt --check *.hcl
  millrace fmt < pipeline.hcl
${offlineExitCodesHelp('a file has syntax errors or, with --check, needs formatting')}`,
    )
    .action((files: string[], options: FormatOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { format } = await import('./format.ts');
        return format(files, options, terminal);
      }),
    );
}

function convertCommand(run: Run): Command {
  return addVariableOptions(
    new Command('convert').argument('<file>', 'a pipeline of the other system; - reads standard input'),
  )
    .description('convert a pipeline of Concourse to HCL, and validate the result')
    .addOption(
      new Option('--from <system>', 'where the pipeline comes from')
        .choices(['concourse'])
        .makeOptionMandatory(),
    )
    .option('-o, --out <file>', 'write the HCL to this file instead of standard output')
    .addOption(colourOption())
    .addHelpText(
      'after',
      `
Warnings on standard error name everything that has no counterpart, with its line and column in the
YAML. A comment in the HCL marks the place. Variables become secrets, unless --var or --vars gives
their value. Files of tasks are not read.

Examples:
  millrace convert --from concourse pipeline.yml > pipeline.hcl
  millrace convert --from concourse --var branch=main pipeline.yml -o pipeline.hcl
  fly -t ci get-pipeline -p app | millrace convert --from concourse -
${offlineExitCodesHelp('the pipeline has errors, or the result is not valid')}`,
    )
    .action((file: string, options: ConvertOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { convert } = await import('./convert.ts');
        return convert(file, options, terminal);
      }),
    );
}

function graphCommand(run: Run): Command {
  return addPipelineArgument(new Command('graph'))
    .description('draw a pipeline: its resources, its jobs and how they depend on each other')
    .addOption(
      new Option(
        '--output <form>',
        'format of the picture (default: from the ending of --out, otherwise dot)',
      ).choices(['dot', 'svg', 'png']),
    )
    .option('-o, --out <file>', 'write the picture to this file instead of standard output')
    .option('--hide-intermediates', 'draw edges from job to job; show only resources that trigger a job')
    .option('--group-parallel', 'draw jobs with the same upstream jobs as one node')
    .addOption(colourOption())
    .addHelpText(
      'after',
      `
A solid line triggers a job. A dashed line only supplies a version.

Examples:
  millrace graph pipeline.hcl -o pipeline.svg
  millrace graph pipeline.hcl --hide-intermediates --group-parallel -o pipeline.png
  millrace graph pipeline.hcl --output dot | dot -Tpdf > pipeline.pdf
${offlineExitCodesHelp('the pipeline has errors')}`,
    )
    .action((file: string, options: GraphVerbOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { graph } = await import('./graph.ts');
        return graph(file, options, terminal);
      }),
    );
}

function planCommand(run: Run): Command {
  return addPipelineArgument(new Command('plan'))
    .description('show what a build of a job would do, as a tree')
    .option(
      '--job <name>',
      'the job; with for_each or matrix, one instance such as test--linux; needed if there are several',
    )
    .addOption(colourOption())
    .addHelpText(
      'after',
      `
Examples:
  millrace plan pipeline.hcl --job unit
  millrace plan pipeline.yaml --pipeline shop/app --job test--linux
${offlineExitCodesHelp('the pipeline has errors')}`,
    )
    .action((file: string, options: PlanVerbOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { plan } = await import('./plan.ts');
        return plan(file, options, terminal);
      }),
    );
}

const addTypeOptions = (verb: Command): Command =>
  verb
    .addOption(new Option('--kind <kind>', 'only types of this kind').choices(TYPE_KINDS))
    .addOption(listOutputOption())
    .addOption(colourOption());

function typesCommand(run: Run): Command {
  const command = new Command('types').description('types that come with Millrace: list, show');
  addTypeOptions(command.command('list'))
    .description('list the types, with their parameters')
    .addHelpText(
      'after',
      `
Examples:
  millrace types list
  millrace types list --kind service_type
  millrace types list --output name

Exit codes: 0: success; 2: usage error, or there is no such type.`,
    )
    .action((options: TypesOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { listTypes } = await import('./list-types.ts');
        return listTypes(options, terminal);
      }),
    );
  addTypeOptions(command.command('show').argument('<type>', 'its name, an alias, or svc://<name>'))
    .description('print the definition of a type, as HCL')
    .addHelpText(
      'after',
      `
Use the output as a start for a type of your own.

Examples:
  millrace types show svc://git
  millrace types show github-check --kind notification_type
  millrace types show redis > types/redis.hcl

Exit codes: 0: success; 2: usage error, or there is no such type.`,
    )
    .action((type: string, options: TypesOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { showType } = await import('./list-types.ts');
        return showType(type, options, terminal);
      }),
    );
  return command;
}

function completionCommand(run: Run): Command {
  const shells = ['bash', 'zsh', 'fish'] satisfies Shell[];
  return new Command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .description('print the completion script of your shell')
    .addHelpText(
      'after',
      `
Add the line of your shell to its start-up file: ~/.bashrc (bash 4 or newer), ~/.zshrc after compinit,
or ~/.config/fish/config.fish.

Examples:
  source <(millrace completion bash)
  source <(millrace completion zsh)
  millrace completion fish | source

Exit codes: 0: success; 2: usage error.`,
    )
    .action((shell: Shell, _options, command: Command) =>
      run('auto', async (terminal) => {
        const { completionScript } = await import('./completion/completion-script.ts');
        terminal.out(completionScript(shell, command.parent ?? command));
        return EXIT.success;
      }),
    );
}
