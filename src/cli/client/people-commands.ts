import { Command, Option } from 'commander';
import {
  collectValues,
  listOutputOption,
  outputOption,
  type ColourOptions,
  type Run,
} from '#cli/command-options.ts';
import type { SetMemberOptions } from './change-people.ts';
import { addServerOptions, EXIT_CODES_HELP, parsePositive, teamOption } from './client-options.ts';
import type { AuditOptions, UsersOptions } from './list-people.ts';
import type { TeamOptions } from './team-options.ts';

type ServerVerbOptions = Omit<TeamOptions, 'team'> & ColourOptions;

const examples = (...lines: string[]): string =>
  `\nExamples:\n${lines.map((line) => `  millrace ${line}\n`).join('')}${EXIT_CODES_HELP}`;

const limitOption = (items: string): Option =>
  new Option('--limit <number>', `maximum number of ${items}`).argParser(parsePositive).default(20);

/** Commands for the teams of a server. */
export function teamsCommand(run: Run): Command {
  const group = new Command('teams').description('teams: list, get');
  const list = addServerOptions(new Command('list').addOption(listOutputOption()))
    .description('list the teams that you are a member of; all of them for a global admin')
    .addHelpText('after', examples('teams list', 'teams list -o name'))
    .action((options: ServerVerbOptions) =>
      run(options.color, async (terminal) => {
        const { listTeams } = await import('./list-people.ts');
        return await listTeams(options, terminal);
      }),
    );
  const get = addServerOptions(
    new Command('get').argument('<team>', 'the team').addOption(listOutputOption()),
  )
    .description('show a team')
    .addHelpText('after', examples('teams get shop'))
    .action((name: string, options: ServerVerbOptions) =>
      run(options.color, async (terminal) => {
        const { showTeam } = await import('./list-people.ts');
        return await showTeam(name, options, terminal);
      }),
    );
  return group.addCommand(list).addCommand(get);
}

/** Commands for the members of a team. */
export function membersCommand(run: Run): Command {
  const group = new Command('members').description('members of a team and their roles: list, set, remove');
  const list = addServerOptions(new Command('list').addOption(teamOption()).addOption(listOutputOption()))
    .description('list the members of a team')
    .addHelpText('after', examples('members list --team shop'))
    .action((options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { listMembers } = await import('./list-people.ts');
        return await listMembers(options, terminal);
      }),
    );
  return group.addCommand(list).addCommand(setMemberCommand(run)).addCommand(removeMemberCommand(run));
}

function setMemberCommand(run: Run): Command {
  return addServerOptions(
    new Command('set').argument('<user>', 'the user name').addOption(teamOption()).addOption(outputOption()),
  )
    .addOption(
      new Option('--role <role>', 'what the member may do')
        .choices(['read', 'write', 'maintain', 'admin'])
        .makeOptionMandatory(),
    )
    .description('add a member to a team, or change the role of a member')
    .addHelpText('after', examples('members set ann --role write --team shop'))
    .action((user: string, options: SetMemberOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { setMember } = await import('./change-people.ts');
        return await setMember(user, options, terminal);
      }),
    );
}

function removeMemberCommand(run: Run): Command {
  return addServerOptions(new Command('remove').argument('<user>', 'the user name').addOption(teamOption()))
    .description('remove a member, and their tokens for the team')
    .addHelpText('after', examples('members remove ann --team shop'))
    .action((user: string, options: TeamOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { removeFromTeam } = await import('./change-people.ts');
        return await removeFromTeam(user, options, terminal);
      }),
    );
}

/** Commands for the accounts of a server. */
export function usersCommand(run: Run): Command {
  const group = new Command('users').description('accounts, for global admins: list, get, disable, enable');
  const list = addServerOptions(
    new Command('list').addOption(limitOption('users')).addOption(listOutputOption()),
  )
    .description('list the accounts, newest first')
    .addHelpText('after', examples('users list', 'users list --limit 100 -o wide'))
    .action((options: UsersOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { listUsers } = await import('./list-people.ts');
        return await listUsers(options, terminal);
      }),
    );
  const get = addServerOptions(
    new Command('get').argument('<user>', 'the user name').addOption(listOutputOption()),
  )
    .description('show an account')
    .addHelpText('after', examples('users get ann'))
    .action((user: string, options: ServerVerbOptions) =>
      run(options.color, async (terminal) => {
        const { showUser } = await import('./list-people.ts');
        return await showUser(user, options, terminal);
      }),
    );
  for (const verb of [
    list,
    get,
    disableOrEnableCommand(run, 'disable'),
    disableOrEnableCommand(run, 'enable'),
  ])
    group.addCommand(verb);
  return group;
}

function disableOrEnableCommand(run: Run, verb: 'disable' | 'enable'): Command {
  const about =
    verb === 'disable' ? 'disable an account: it cannot sign in, and its sessions end' : 'enable an account';
  return addServerOptions(new Command(verb).argument('<user>', 'the user name').addOption(outputOption()))
    .description(about)
    .addHelpText('after', examples(`users ${verb} ann`))
    .action((user: string, options: ServerVerbOptions) =>
      run(options.color, async (terminal) => {
        const { setDisabled } = await import('./change-people.ts');
        return await setDisabled(user, verb === 'disable', { options, terminal });
      }),
    );
}

/** Commands for the identity providers of a server. */
export function providersCommand(run: Run): Command {
  const list = addServerOptions(new Command('list').addOption(listOutputOption()))
    .description('list the identity providers, without their secrets; only for global admins')
    .addHelpText('after', examples('providers list', 'providers list -o wide'))
    .action((options: ServerVerbOptions) =>
      run(options.color, async (terminal) => {
        const { listProviders } = await import('./list-people.ts');
        return await listProviders(options, terminal);
      }),
    );
  return new Command('providers').description('identity providers: list').addCommand(list);
}

/** Commands for the audit log. */
export function auditCommand(run: Run): Command {
  const list = addServerOptions(
    new Command('list')
      .addOption(teamOption())
      .addOption(limitOption('entries'))
      .addOption(listOutputOption()),
  )
    .option('--installation', 'the log of the whole installation; only for global admins')
    .option('--since <time>', 'only entries from this time on, such as 2027-01-31T12:00:00Z')
    .option('--until <time>', 'only entries before this time')
    .option('--user <name>', 'only entries of this user; repeatable', collectValues)
    .option(
      '--action <action>',
      'only entries of this action, such as job.triggered; repeatable',
      collectValues,
    )
    .option('-p, --pipeline <pipeline>', 'only entries of this pipeline')
    .description('list the audit log, newest first')
    .addHelpText(
      'after',
      examples('audit list --team shop', 'audit list --user ann --since 2027-01-31T12:00:00Z'),
    )
    .action((options: AuditOptions & ColourOptions) =>
      run(options.color, async (terminal) => {
        const { listAudit } = await import('./list-people.ts');
        return await listAudit(options, terminal);
      }),
    );
  return new Command('audit').description('audit log: list').addCommand(list);
}
