import { Command, Option } from 'commander';
import { colour, exits, variables } from './command-options.ts';
import type { Coloured, Run } from './command-options.ts';
import type { FormatOptions } from './format.ts';
import type { GraphVerbOptions } from './graph.ts';
import type { PlanVerbOptions } from './plan.ts';
import type { ValidateOptions } from './validate.ts';

const FILE = 'HCL, or a manifest with Pipelines (YAML, JSON); - is standard input';

const onePipeline = (command: Command): Command =>
  variables(command.argument('<file>', FILE)).option(
    '--pipeline <name>',
    'which Pipeline, if the file holds several: <namespace>/<name> or <name>',
  );

/** The verbs that need no cluster. */
export function offlineCommands(run: Run): Command[] {
  const commands = [validateCommand(run), formatCommand(run), graphCommand(run), planCommand(run)];
  return commands.map((command) => command.helpGroup('Without a cluster:'));
}

function validateCommand(run: Run): Command {
  return variables(new Command('validate').argument('<file...>', FILE))
    .description('validate pipelines offline')
    .addOption(
      new Option('--output <form>', 'for people, for programs, or for code hosts')
        .choices(['text', 'json', 'sarif'])
        .default('text'),
    )
    .option('--language-only', 'accept what the operator of this version cannot run yet')
    .addOption(colour())
    .addHelpText(
      'after',
      `
What the operator would refuse is an error, parts of the language that this version cannot run yet among them.
Variables that a Secret gives, by a secret block or by varsFrom, need no value here. Nothing is fetched: of types with a source only
those that come with Millrace are known.

Examples:
  millrace validate pipeline.hcl
  millrace validate --language-only pipeline.hcl
  millrace validate --var branch=main --vars values.json pipeline.hcl
  millrace validate deploy/*.yaml --output sarif > millrace.sarif
  kustomize build . | millrace validate -
${exits('a pipeline has errors')}`,
    )
    .action((files: string[], options: ValidateOptions & Coloured) =>
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
      'HCL, or a manifest with Pipelines (YAML; JSON has no texts of several lines); - is standard input, which is also what none means',
    )
    .description("bring pipelines into HCL's usual layout; in a manifest only the HCL text")
    .option('--check', 'change nothing; name the files that would change')
    .addOption(colour())
    .addHelpText(
      'after',
      `
Files are replaced, and those that changed are named. Standard input goes to standard output.

Examples:
  millrace fmt pipeline.hcl deploy/pipeline.yaml
  millrace fmt --check *.hcl
  millrace fmt < pipeline.hcl
${exits('a text has errors of syntax, or with --check another layout')}`,
    )
    .action((files: string[], options: FormatOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { format } = await import('./format.ts');
        return format(files, options, terminal);
      }),
    );
}

function graphCommand(run: Run): Command {
  return onePipeline(new Command('graph'))
    .description('draw a pipeline: its resources and jobs, and who waits for whom')
    .addOption(
      new Option('--output <form>', 'form of the picture (default: by the name after -o, else dot)').choices([
        'dot',
        'svg',
        'png',
      ]),
    )
    .option('-o, --out <file>', 'where the picture goes, instead of standard output')
    .option('--hide-intermediates', 'direct edges from job to job; only resources that start a job stay')
    .option('--group-parallel', 'jobs with the same parents as one node')
    .addOption(colour())
    .addHelpText(
      'after',
      `
Full lines start a job, dashed ones only bring a version along.

Examples:
  millrace graph pipeline.hcl -o pipeline.svg
  millrace graph pipeline.hcl --hide-intermediates --group-parallel -o pipeline.png
  millrace graph pipeline.hcl --output dot | dot -Tpdf > pipeline.pdf
${exits('the pipeline has errors')}`,
    )
    .action((file: string, options: GraphVerbOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { graph } = await import('./graph.ts');
        return graph(file, options, terminal);
      }),
    );
}

function planCommand(run: Run): Command {
  return onePipeline(new Command('plan'))
    .description('show what a build of a job would do, as a tree')
    .requiredOption('--job <name>', 'the job; of for_each and matrix one instance, such as test--linux')
    .addOption(colour())
    .addHelpText(
      'after',
      `
Examples:
  millrace plan pipeline.hcl --job unit
  millrace plan pipeline.yaml --pipeline demo/app --job test--linux
${exits('the pipeline has errors')}`,
    )
    .action((file: string, options: PlanVerbOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { plan } = await import('./plan.ts');
        return plan(file, options, terminal);
      }),
    );
}
