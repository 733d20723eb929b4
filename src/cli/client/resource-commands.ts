import { Command, Option } from 'commander';
import { listOutputOption, outputOption, type ColourOptions, type Run } from '#cli/command-options.ts';
import type { PinOptions } from './change-resources.ts';
import {
  addServerOptions,
  EXIT_CODES_HELP,
  parseId,
  parsePositive,
  parseResourceName,
  teamOption,
} from './client-options.ts';
import type { GetResourceOptions, ResourceArgument, VersionsOptions } from './list-resources.ts';
import type { TeamOptions } from './team-options.ts';

/** Commands for the resources of a pipeline and their versions. */
export function resourcesCommand(run: Run): Command {
  const group = new Command('resources').description(
    'resources and their versions: list, get, versions, check, pin, unpin, disable, enable, trigger',
  );
  const readingVerbs = [listCommand, getCommand, versionsCommand];
  const changingVerbs = [
    checkCommand,
    pinCommand,
    unpinCommand,
    disableCommand,
    enableCommand,
    triggerCommand,
  ];
  for (const verb of [...readingVerbs, ...changingVerbs]) group.addCommand(verb(run));
  return group;
}

const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  millrace resources ${line}\n`).join('')}${EXIT_CODES_HELP}`;

const addTeamOptions = (command: Command, makeOutput = outputOption): Command =>
  addServerOptions(command.addOption(teamOption()).addOption(makeOutput()));

const addResourceArgument = (command: Command, makeOutput = outputOption): Command =>
  addTeamOptions(
    command.argument('<pipeline/resource>', 'the resource, such as app/git.app', parseResourceName),
    makeOutput,
  );

const addVersionArguments = (command: Command): Command =>
  addResourceArgument(command).argument('<version>', 'its id, from millrace resources versions', parseId);

function listCommand(run: Run): Command {
  return addTeamOptions(new Command('list').argument('<pipeline>', 'the pipeline'), listOutputOption)
    .description('list the resources of a pipeline, each with its last check and its pin')
    .addHelpText('after', examples('list app', 'list app --output json'))
    .action((pipeline: string, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { listResources } = await import('./list-resources.ts');
        return await listResources(pipeline, options, terminal);
      }),
    );
}

function getCommand(run: Run): Command {
  return addResourceArgument(new Command('get'), listOutputOption)
    .description('show a resource and the output of its last check')
    .option('--webhook', 'also print the address and the secret of its webhook; needs the role maintain')
    .addHelpText('after', examples('get app/git.app', 'get app/git.app --webhook'))
    .action((resource: ResourceArgument, options: GetResourceOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { showResource } = await import('./list-resources.ts');
        return await showResource(resource, options, terminal);
      }),
    );
}

function versionsCommand(run: Run): Command {
  return addResourceArgument(new Command('versions'), listOutputOption)
    .addOption(
      new Option('--limit <number>', 'maximum number of versions').argParser(parsePositive).default(20),
    )
    .description('list the versions of a resource, newest first, with their ids')
    .addHelpText('after', examples('versions app/git.app', 'versions app/git.app --limit 100'))
    .action((resource: ResourceArgument, options: VersionsOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { listVersions } = await import('./list-resources.ts');
        return await listVersions(resource, options, terminal);
      }),
    );
}

function checkCommand(run: Run): Command {
  return addResourceArgument(new Command('check'))
    .description('request a check of a resource now; does not wait for it')
    .addHelpText('after', examples('check app/git.app'))
    .action((resource: ResourceArgument, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { sendCheck } = await import('./change-resources.ts');
        return await sendCheck(resource, { options, terminal });
      }),
    );
}

function pinCommand(run: Run): Command {
  return addVersionArguments(new Command('pin'))
    .description('hold a resource at one version: every get takes it')
    .option('-c, --comment <text>', 'why; the team sees it')
    .addHelpText(
      'after',
      `
Millrace cancels builds that have not started if they have another version. A pin in the manifest
wins: the server then refuses this command.
${examples('pin app/git.app 42', 'pin app/git.app 42 --comment "until the fix"')}`,
    )
    .action((resource: ResourceArgument, version: number, options: PinOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { sendPin } = await import('./change-resources.ts');
        return await sendPin({ ...resource, version }, { options, terminal });
      }),
    );
}

function unpinCommand(run: Run): Command {
  return addResourceArgument(new Command('unpin'))
    .description('end the pin of a resource: only the newest version found meanwhile can trigger a build')
    .addHelpText('after', examples('unpin app/git.app'))
    .action((resource: ResourceArgument, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { sendUnpin } = await import('./change-resources.ts');
        return await sendUnpin(resource, { options, terminal });
      }),
    );
}

function disableCommand(run: Run): Command {
  return addVersionArguments(new Command('disable'))
    .description('disable a version: no build takes it from now on')
    .addHelpText('after', examples('disable app/git.app 42'))
    .action((resource: ResourceArgument, version: number, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { enableOrDisableVersion } = await import('./change-resources.ts');
        return await enableOrDisableVersion({ ...resource, version }, 'disable', { options, terminal });
      }),
    );
}

function enableCommand(run: Run): Command {
  return addVersionArguments(new Command('enable'))
    .description('enable a disabled version: it triggers if no build has used it')
    .addHelpText('after', examples('enable app/git.app 42'))
    .action((resource: ResourceArgument, version: number, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { enableOrDisableVersion } = await import('./change-resources.ts');
        return await enableOrDisableVersion({ ...resource, version }, 'enable', { options, terminal });
      }),
    );
}

function triggerCommand(run: Run): Command {
  return addVersionArguments(new Command('trigger'))
    .description('start a build with a version for each job that gets the resource without passed')
    .addHelpText(
      'after',
      `
You can trigger any version, pinned or not. Each job downstream builds it once too.
${examples('trigger app/git.app 42')}`,
    )
    .action((resource: ResourceArgument, version: number, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { triggerByVersion } = await import('./change-resources.ts');
        return await triggerByVersion({ ...resource, version }, { options, terminal });
      }),
    );
}
