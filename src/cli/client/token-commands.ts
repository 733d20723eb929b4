import { Command, Option } from 'commander';
import { listOutputOption, outputOption, type ColourOptions, type Run } from '#cli/command-options.ts';
import type { OutputOptions } from '#cli/output.ts';
import { addServerOptions, EXIT_CODES_HELP, noBrowserOption, teamOption } from './client-options.ts';
import type { ServerOptions } from './connect.ts';
import type { CreateTokenOptions } from './manage-tokens.ts';

type TokenVerbOptions = ServerOptions & OutputOptions & ColourOptions;

const SESSION_HELP = `
These commands need a login with your account: an API token cannot manage tokens.
`;

/** Commands for your API tokens. */
export function tokensCommand(run: Run): Command {
  const list = addServerOptions(new Command('list').addOption(listOutputOption()))
    .description('list your API tokens, without their secrets')
    .addHelpText('after', `${SESSION_HELP}\nExamples:\n  millrace tokens list\n${EXIT_CODES_HELP}`)
    .action((options: TokenVerbOptions) =>
      run(options.color, async (terminal) => {
        const { listTokens } = await import('./manage-tokens.ts');
        return await listTokens(options, terminal);
      }),
    );
  return new Command('tokens')
    .description('your API tokens: list, create, revoke')
    .addCommand(list)
    .addCommand(createCommand(run))
    .addCommand(revokeCommand(run));
}

function createCommand(run: Run): Command {
  return addServerOptions(
    new Command('create').argument('<name>', 'the name of the token').addOption(teamOption()),
  )
    .addOption(
      new Option('--role <role>', 'what the token may do in the team').choices([
        'read',
        'write',
        'maintain',
        'admin',
      ]),
    )
    .addOption(new Option('--personal', 'a token with all your rights, in every team').conflicts('role'))
    .option('--expires <time>', 'when it expires, such as 2027-01-31T12:00:00Z (default: in 90 days)')
    .addOption(noBrowserOption())
    .addOption(outputOption())
    .description('create an API token and print it; it cannot be shown again')
    .addHelpText(
      'after',
      `${SESSION_HELP}
If your login is older than ten minutes, you confirm the token in your browser.

Examples:
  millrace tokens create deploy --team shop --role write > token.txt
  millrace tokens create laptop --personal --expires 2027-01-31T12:00:00Z
${EXIT_CODES_HELP}`,
    )
    .action((name: string, options: CreateTokenOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { createApiToken } = await import('./manage-tokens.ts');
        return await createApiToken(name, options, terminal);
      }),
    );
}

function revokeCommand(run: Run): Command {
  return addServerOptions(
    new Command('revoke').argument('<token>', 'its name, or its id').addOption(outputOption()),
  )
    .description('delete one of your API tokens: it stops working at once')
    .addHelpText('after', `${SESSION_HELP}\nExamples:\n  millrace tokens revoke deploy\n${EXIT_CODES_HELP}`)
    .action((token: string, options: TokenVerbOptions) =>
      run(options.color, async (terminal) => {
        const { revokeToken } = await import('./manage-tokens.ts');
        return await revokeToken(token, options, terminal);
      }),
    );
}
