import { Command, Option } from 'commander';
import { colourOption, outputOption, type ColourOptions, type Run } from '#cli/command-options.ts';
import type { OutputOptions } from '#cli/output.ts';
import { CommandError } from '#cli/terminal.ts';
import { buildsCommand } from './build-commands.ts';
import { cachesCommand } from './cache-commands.ts';
import { addServerOptions, EXIT_CODES_HELP, noBrowserOption } from './client-options.ts';
import type { ServerOptions } from './connect.ts';
import { contextsCommand } from './context-commands.ts';
import { debugCommand } from './debug-command.ts';
import { jobsCommand, triggerCommand, whyCommand } from './job-commands.ts';
import type { LoginOptions } from './login.ts';
import { openCommand } from './open-command.ts';
import {
  auditCommand,
  membersCommand,
  providersCommand,
  teamsCommand,
  usersCommand,
} from './people-commands.ts';
import { diffCommand, pipelinesCommand } from './pipeline-commands.ts';
import { resourcesCommand } from './resource-commands.ts';
import { secretsCommand } from './secret-commands.ts';
import { tokensCommand } from './token-commands.ts';
import { triggersCommand } from './trigger-commands.ts';

/** The commands for servers. Some, such as `contexts use`, send no request. */
export function clientCommands(run: Run): Command[] {
  const commands = [
    loginCommand(run),
    logoutCommand(run),
    whoamiCommand(run),
    contextsCommand(run),
    pipelinesCommand(run),
    jobsCommand(run),
    buildsCommand(run),
    triggerCommand(run),
    whyCommand(run),
    debugCommand(run),
    diffCommand(run),
    openCommand(run),
    resourcesCommand(run),
    secretsCommand(run),
    tokensCommand(run),
    cachesCommand(run),
    teamsCommand(run),
    membersCommand(run),
    usersCommand(run),
    providersCommand(run),
    auditCommand(run),
    triggersCommand(run),
  ];
  return commands.map((command) => command.helpGroup('With a server:'));
}

function loginCommand(run: Run): Command {
  return (
    new Command('login')
      .argument('<url>', 'the server, such as https://ci.example.org')
      .description('log in to a server and store the credentials')
      .addOption(noBrowserOption())
      .option('--username <name>', 'log in with this user name and a password, without a browser')
      .addOption(new Option('--token', 'log in with an API token').conflicts('username'))
      .option('--ca-file <file>', 'PEM file with further certificates to trust; stored with the credentials')
      .option(
        '--context <name>',
        "name of the context (default: the server's existing context, otherwise its host)",
      )
      .option('-t, --team <team>', 'the team that commands use in this context without --team')
      .addOption(colourOption())
      .addHelpText(
        'after',
        `
The command prints a code and opens your browser. Confirm the login there if the page shows the same
code. With --no-browser, for example over SSH, open the printed address in any browser and enter the
code. Your password stays in the browser.

With --username or --token, the command asks for the password or token, or reads it from standard
input. It takes neither as an argument, because other users of the machine could read it there.

It stores the credentials in millrace/credentials.json below XDG_CONFIG_HOME (~/.config). Only you
can read this file. Other commands then use this server, unless --url or --context names another.

In CI, set MILLRACE_URL and MILLRACE_TOKEN (or MILLRACE_TOKEN_FILE) instead, and MILLRACE_CA_FILE if
you need it.

docs/how-to/tokens.md in the source repository says which token to use for what.

Examples:
  millrace login https://ci.example.org
  millrace login https://ci.example.org --no-browser
  millrace login https://ci.example.org --username ann
  millrace login https://ci.example.org --context work --team shop
  millrace login https://ci.example.org --token < token.txt
${EXIT_CODES_HELP}`,
      )
      // Extra arguments may be secrets, so the error does not quote them.
      .allowExcessArguments()
      .action((url: string, options: LoginOptions & ColourOptions, { args }: Command) =>
        run(options.color, async (terminal) => {
          if (args.length > 1)
            throw new CommandError(
              'do not pass a token or password as an argument: type it at the prompt, or pipe it in',
            );
          const { login } = await import('./login.ts');
          return await login(url, options, terminal);
        }),
      )
  );
}

function logoutCommand(run: Run): Command {
  return new Command('logout')
    .argument('[url]', 'the server (default: the server of the current context)')
    .description('log out of a server and delete its stored credentials')
    .addOption(colourOption())
    .addHelpText(
      'after',
      `\nExamples:\n  millrace logout\n  millrace logout https://ci.example.org\n${EXIT_CODES_HELP}`,
    )
    .action((url: string | undefined, options: ColourOptions) =>
      run(options.color, async (terminal) => {
        const { logout } = await import('./logout.ts');
        return await logout(url, terminal);
      }),
    );
}

function whoamiCommand(run: Run): Command {
  return addServerOptions(new Command('whoami').addOption(outputOption()))
    .description('show your account and your roles')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace whoami\n  millrace whoami --url https://ci.example.org --output json\n' +
        EXIT_CODES_HELP,
    )
    .action((options: ServerOptions & OutputOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { whoami } = await import('./whoami.ts');
        return await whoami(options, terminal);
      }),
    );
}
