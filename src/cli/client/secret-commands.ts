import { Command, Option } from 'commander';
import { listOutputOption, type ColourOptions, type Run } from '#cli/command-options.ts';
import { CommandError } from '#cli/terminal.ts';
import type { SecretOptions, SetSecretOptions } from './change-secrets.ts';
import { addServerOptions, EXIT_CODES_HELP, teamOption } from './client-options.ts';

/** Commands for the secrets that the server stores. */
export function secretsCommand(run: Run): Command {
  const group = new Command('secrets').description(
    'stored secrets of a team or a pipeline: set, list, delete',
  );
  for (const verb of [setCommand, listCommand, deleteCommand]) group.addCommand(verb(run));
  return group;
}

const addScopeOptions = (command: Command): Command =>
  addServerOptions(
    command
      .addOption(teamOption())
      .addOption(
        new Option('-p, --pipeline <pipeline>', 'the pipeline (default: the team, for all its pipelines)'),
      ),
  );

function setCommand(run: Run): Command {
  return (
    addScopeOptions(new Command('set').argument('<name>', 'the secret'))
      .description('store a secret, or replace its value')
      .option('--stdin', 'read the value from standard input, to its end')
      .option('--plain', 'store it as a plain value: members can read it, and logs do not mask it')
      .addHelpText(
        'after',
        `
The command asks for the value, or reads it with --stdin. It does not take it as an argument,
because other users of the machine could read it there. With --stdin, a line break at the end
belongs to the value: use printf rather than echo.

A pipeline reads the value with secret "store" { key = "<name>" }.

Examples:
  millrace secrets set FORGE_TOKEN
  millrace secrets set DEPLOY_KEY --pipeline app --stdin < key.pem
  printf %s live | millrace secrets set STAGE --plain --stdin
${EXIT_CODES_HELP}`,
      )
      // Extra arguments may be secrets, so the error does not quote them.
      .allowExcessArguments()
      .action((name: string, options: SetSecretOptions & ColourOptions, { args }: Command) =>
        run(options.color, async (terminal) => {
          if (args.length > 1)
            throw new CommandError(
              'do not pass the value as an argument: type it at the prompt, or use --stdin',
            );
          const { setSecret } = await import('./change-secrets.ts');
          return await setSecret(name, options, terminal);
        }),
      )
  );
}

function listCommand(run: Run): Command {
  return addScopeOptions(new Command('list'))
    .addOption(listOutputOption())
    .description('list the stored secrets; only plain ones show their values')
    .addHelpText(
      'after',
      `\nExamples:\n  millrace secrets list\n  millrace secrets list --pipeline app --output json\n${EXIT_CODES_HELP}`,
    )
    .action((options: SecretOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { listSecrets } = await import('./change-secrets.ts');
        return await listSecrets(options, terminal);
      }),
    );
}

function deleteCommand(run: Run): Command {
  return addScopeOptions(new Command('delete').argument('<name>', 'the secret'))
    .description('delete a stored secret; builds that use it then fail, or get the value of the team')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace secrets delete FORGE_TOKEN\n' +
        `  millrace secrets delete DEPLOY_KEY --pipeline app\n${EXIT_CODES_HELP}`,
    )
    .action((name: string, options: SecretOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { deleteSecret } = await import('./change-secrets.ts');
        return await deleteSecret(name, options, terminal);
      }),
    );
}
