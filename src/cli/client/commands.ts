import { Command, Option } from 'commander';
import { colour, repeated, type Coloured, type Run } from '#cli/command-options.ts';
import type { OutputOptions } from '#cli/output.ts';
import { CommandError } from '#cli/terminal.ts';
import { cachesCommand } from './cache-commands.ts';
import {
  EXIT_CODES_HELP,
  exitCodesHelp,
  output,
  parseBuildName,
  parseJobName,
  parsePositive,
  server,
  team,
} from './client-options.ts';
import type { ServerOptions } from './connect.ts';
import type { BuildsOptions } from './list-commands.ts';
import type { LoginOptions } from './login.ts';
import { pipelinesCommand } from './pipeline-commands.ts';
import { secretsCommand } from './secret-commands.ts';
import type { TeamOptions } from './team-options.ts';
import { triggersCommand } from './trigger-commands.ts';
import type { JobArgument, TriggerOptions } from './watch.ts';

/** The commands that talk to a server. */
export function clientCommands(run: Run): Command[] {
  const commands = [
    loginCommand(run),
    logoutCommand(run),
    whoamiCommand(run),
    pipelinesCommand(run),
    jobsCommand(run),
    buildsCommand(run),
    triggerCommand(run),
    secretsCommand(run),
    cachesCommand(run),
    triggersCommand(run),
  ];
  return commands.map((command) => command.helpGroup('With a server:'));
}

function loginCommand(run: Run): Command {
  return (
    new Command('login')
      .argument('<url>', 'the server, such as https://ci.example.org')
      .description('log in to a server and store the credentials')
      .option('--username <name>', 'log in with this user name and a password')
      .addOption(new Option('--token', 'log in with an API token').conflicts('username'))
      .option('--ca-file <file>', 'PEM file with further certificates to trust; stored with the credentials')
      .addOption(colour())
      .addHelpText(
        'after',
        `
The command asks for the password or token, or reads it from standard input. It takes neither as an
argument, because other users of the machine could read it there.

It stores the credentials in millrace/credentials.json below XDG_CONFIG_HOME (~/.config). Only you
can read this file. Other commands then use this server, unless --url names another.

In CI, set MILLRACE_URL and MILLRACE_TOKEN (or MILLRACE_TOKEN_FILE) instead, and MILLRACE_CA_FILE if
you need it.

If you sign in with an identity provider, you have no password. Create an API token on your profile
page and use --token. docs/how-to/tokens.md in the source says which token a task needs.

Examples:
  millrace login https://ci.example.org
  millrace login https://ci.example.org --username ann
  millrace login https://ci.example.org --token < token.txt
${EXIT_CODES_HELP}`,
      )
      // Extra arguments may be secrets, so the error does not quote them.
      .allowExcessArguments()
      .action((url: string, options: LoginOptions & Coloured, { args }: Command) =>
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
    .argument('[url]', 'the server (default: the server of the last login)')
    .description('log out of a server and delete its stored credentials')
    .addOption(colour())
    .addHelpText(
      'after',
      `\nExamples:\n  millrace logout\n  millrace logout https://ci.example.org\n${EXIT_CODES_HELP}`,
    )
    .action((url: string | undefined, options: Coloured) =>
      run(options.color, async (terminal) => {
        const { logout } = await import('./logout.ts');
        return await logout(url, terminal);
      }),
    );
}

function whoamiCommand(run: Run): Command {
  return server(new Command('whoami').addOption(output()))
    .description('show your account and your roles')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace whoami\n  millrace whoami --url https://ci.example.org --output json\n' +
        EXIT_CODES_HELP,
    )
    .action((options: ServerOptions & OutputOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { whoami } = await import('./whoami.ts');
        return await whoami(options, terminal);
      }),
    );
}

function jobsCommand(run: Run): Command {
  const list = server(
    new Command('list').argument('<pipeline>', 'the pipeline').addOption(team()).addOption(output()),
  )
    .description('list the jobs of a pipeline, each with its newest build')
    .addHelpText('after', `\nExamples:\n  millrace jobs list app\n${EXIT_CODES_HELP}`)
    .action((pipeline: string, options: TeamOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { listJobs } = await import('./list-commands.ts');
        return await listJobs(pipeline, options, terminal);
      }),
    );
  return new Command('jobs').description('jobs of a pipeline').addCommand(list);
}

const STATUSES = ['pending', 'waiting', 'started', 'succeeded', 'failed', 'cancelled', 'warning'];

function buildsCommand(run: Run): Command {
  const list = server(
    new Command('list')
      .argument('<pipeline/job>', 'the job', parseJobName)
      .addOption(team())
      .addOption(new Option('--status <status>', 'only builds with this status').choices(STATUSES))
      .addOption(
        new Option('--limit <number>', 'maximum number of builds').argParser(parsePositive).default(20),
      )
      .addOption(output()),
  )
    .description('list the builds of a job, newest first')
    .addHelpText(
      'after',
      '\nExamples:\n  millrace builds list app/unit\n' +
        `  millrace builds list app/unit --status failed --limit 5\n${EXIT_CODES_HELP}`,
    )
    .action((job: JobArgument, options: BuildsOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { listBuilds } = await import('./list-commands.ts');
        return await listBuilds(job, options, terminal);
      }),
    );
  return new Command('builds').description('builds of a job').addCommand(list).addCommand(watchCommand(run));
}

function watchCommand(run: Run): Command {
  return server(
    new Command('watch')
      .argument('<pipeline/job/build>', 'the build; without a number, the newest', parseBuildName)
      .addOption(team())
      .option('--wait', 'if the job has no build yet, wait for the first one'),
  )
    .description('follow a build to its end, or show the log of a finished build')
    .addHelpText(
      'after',
      `
The log goes to standard output, and the status of the build to standard error. If the connection
breaks, the command reconnects; no line is lost or repeated. If you stop watching, the build continues.

Examples:
  millrace builds watch app/unit
  millrace builds watch app/unit --wait
  millrace builds watch app/unit/7 > log.txt
${exitCodesHelp('the build failed or was cancelled')}`,
    )
    .action((build: JobArgument & { build?: string }, options: TeamOptions & Coloured & { wait?: boolean }) =>
      run(options.color, async (terminal) => {
        const { watch } = await import('./watch.ts');
        return await watch(build, options, terminal);
      }),
    );
}

function triggerCommand(run: Run): Command {
  return server(
    new Command('trigger')
      .argument('<pipeline/job>', 'the job', parseJobName)
      .addOption(team())
      .addOption(output()),
  )
    .description('start a build of a job with the newest versions that it can take')
    .option('-w, --watch', 'follow the build to its end')
    .option('--input <name=value>', 'value of an input of the job; repeatable', repeated)
    .option('--no-check', 'use the known versions; do not check for newer ones first')
    .addHelpText(
      'after',
      `
Millrace first checks the resources that the job gets without passed. It waits at most 25 seconds.
Then it creates the build and says which checks failed or did not end. If you interrupt the command,
Millrace still creates the build.

An input without a default needs a value. Separate the values of a list by commas. If a value is
wrong, missing or unknown, the command lists every reason and Millrace creates no build. Inputs are
not secret: the build shows them.

Examples:
  millrace trigger app/unit
  millrace trigger app/unit --no-check
  millrace trigger app/publish --team shop --watch
  millrace trigger app/deploy --input environment=prod --input targets=eu,us
${exitCodesHelp('with --watch the build failed or was cancelled')}`,
    )
    .action((job: JobArgument, options: TriggerOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { trigger } = await import('./watch.ts');
        return await trigger(job, options, terminal);
      }),
    );
}
