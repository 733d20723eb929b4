import { Command, Option } from 'commander';
import type { Coloured, Run } from '#cli/command-options.ts';
import { colour } from '#cli/command-options.ts';
import { Misuse } from '#cli/terminal.ts';
import { EXITS, buildOf, exitsOf, jobOf, output, positive, server, team } from './client-options.ts';
import type { ServerOptions } from './connect.ts';
import type { LoginOptions } from './login.ts';
import type { BuildsOptions } from './look.ts';
import { pipelinesCommand } from './pipeline-commands.ts';
import type { OutputOptions } from './show.ts';
import type { TeamOptions } from './team-options.ts';
import type { JobName } from './watch.ts';

/** The verbs that ask a server. */
export function clientCommands(run: Run): Command[] {
  const commands = [
    loginCommand(run),
    logoutCommand(run),
    whoamiCommand(run),
    pipelinesCommand(run),
    jobsCommand(run),
    buildsCommand(run),
    triggerCommand(run),
  ];
  return commands.map((command) => command.helpGroup('With a server:'));
}

function loginCommand(run: Run): Command {
  return (
    new Command('login')
      .argument('<url>', 'the server, such as https://ci.example.org')
      .description('log in to a server and store the credentials')
      .option('--username <name>', 'with this name and a password')
      .addOption(new Option('--token', 'with an API token').conflicts('username'))
      .option('--ca-file <file>', 'certificates in PEM that are trusted besides those of the machine; kept')
      .addOption(colour())
      .addHelpText(
        'after',
        `
The command asks for the password or token, or reads it from standard input. It takes none as an argument, because other users of the machine
could read it. It stores what the server gives in millrace/credentials.json below XDG_CONFIG_HOME (~/.config), which only you can read. Other
commands then use this server, unless --url names another. In CI set MILLRACE_URL and MILLRACE_TOKEN (or MILLRACE_TOKEN_FILE) instead, and
MILLRACE_CA_FILE if you need it.

If you sign in with an identity provider, you have no password: create an API token on your profile page, and use --token. Which token a task
needs: docs/how-to/tokens.md in the source.

Examples:
  millrace login https://ci.example.org
  millrace login https://ci.example.org --username ann
  millrace login https://ci.example.org --token < token.txt
${EXITS}`,
      )
      // They are not repeated: what stands there too much may be a secret.
      .allowExcessArguments()
      .action((url: string, options: LoginOptions & Coloured, { args }: Command) =>
        run(options.color, async (terminal) => {
          if (args.length > 1)
            throw new Misuse(
              'a token or password is never an argument: type it when you are asked, or pipe it in',
            );
          const { login } = await import('./login.ts');
          return await login(url, options, terminal);
        }),
      )
  );
}

function logoutCommand(run: Run): Command {
  return new Command('logout')
    .argument('[url]', 'the server (default: where somebody logged in last)')
    .description('end the session at a server, and forget it')
    .addOption(colour())
    .addHelpText(
      'after',
      `\nExamples:\n  millrace logout\n  millrace logout https://ci.example.org\n${EXITS}`,
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
    .description('show who you are to the server, and your roles')
    .addHelpText(
      'after',
      `\nExamples:\n  millrace whoami\n  millrace whoami --url https://ci.example.org --output json\n${EXITS}`,
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
    new Command('list').argument('<pipeline>', 'its name').addOption(team()).addOption(output()),
  )
    .description('show the jobs of a pipeline, each with its newest build')
    .addHelpText('after', `\nExamples:\n  millrace jobs list app\n${EXITS}`)
    .action((pipeline: string, options: TeamOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { listJobs } = await import('./look.ts');
        return await listJobs(pipeline, options, terminal);
      }),
    );
  return new Command('jobs').description('jobs of a pipeline').addCommand(list);
}

const STATUSES = ['pending', 'waiting', 'started', 'succeeded', 'failed', 'cancelled', 'warning'];

function buildsCommand(run: Run): Command {
  const list = server(
    new Command('list')
      .argument('<pipeline/job>', 'the job', jobOf)
      .addOption(team())
      .addOption(new Option('--status <status>', 'only those in this status').choices(STATUSES))
      .addOption(new Option('--limit <number>', 'how many').argParser(positive).default(20))
      .addOption(output()),
  )
    .description('show the builds of a job, the newest first')
    .addHelpText(
      'after',
      `\nExamples:\n  millrace builds list app/unit\n  millrace builds list app/unit --status failed --limit 5\n${EXITS}`,
    )
    .action((job: JobName, options: BuildsOptions & Coloured) =>
      run(options.color, async (terminal) => {
        const { listBuilds } = await import('./look.ts');
        return await listBuilds(job, options, terminal);
      }),
    );
  return new Command('builds').description('builds of a job').addCommand(list).addCommand(watchCommand(run));
}

function watchCommand(run: Run): Command {
  return server(
    new Command('watch')
      .argument('<pipeline/job/build>', 'the build; without a number the newest', buildOf)
      .addOption(team())
      .option('--wait', 'if the job has no build yet, wait for its first'),
  )
    .description('follow a build to its end, or read the log of one that has ended')
    .addHelpText(
      'after',
      `
The log goes to standard output, what is said of the build to standard error. A connection that breaks is made anew, and not a line is lost
or doubled. To stop watching does not stop the build.

Examples:
  millrace builds watch app/unit
  millrace builds watch app/unit --wait
  millrace builds watch app/unit/7 > log.txt
${exitsOf('the build failed or was cancelled')}`,
    )
    .action((build: JobName & { build?: string }, options: TeamOptions & Coloured & { wait?: boolean }) =>
      run(options.color, async (terminal) => {
        const { watch } = await import('./watch.ts');
        return await watch(build, options, terminal);
      }),
    );
}

function triggerCommand(run: Run): Command {
  return server(
    new Command('trigger').argument('<pipeline/job>', 'the job', jobOf).addOption(team()).addOption(output()),
  )
    .description('start a build of a job with the newest versions that fit')
    .option('-w, --watch', 'follow it to its end')
    .option('--no-check', 'use the versions that are known, without a check for newer ones')
    .addHelpText(
      'after',
      `
Millrace first checks the resources that the job gets without passed. It waits at most 25 seconds, then creates the build and says which
checks failed or did not end. If you stop waiting, the build is created all the same.

Examples:
  millrace trigger app/unit
  millrace trigger app/unit --no-check
  millrace trigger app/publish --team shop --watch
${exitsOf('with --watch the build failed or was cancelled')}`,
    )
    .action((job: JobName, options: TeamOptions & Coloured & { watch?: boolean; check?: boolean }) =>
      run(options.color, async (terminal) => {
        const { trigger } = await import('./watch.ts');
        return await trigger(job, options, terminal);
      }),
    );
}
