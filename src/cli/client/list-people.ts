import { printResult, renderFacts, renderTable, shortFields, timeOf } from '#cli/output.ts';
import { EXIT, type Exit, type Paint, type Terminal } from '#cli/terminal.ts';
import { defined } from '#defined';
import { requestPath } from './api.ts';
import { connect } from './connect.ts';
import { readPages } from './read-pages.ts';
import type { AuditEntryJson, ProviderJson, TeamJson, TeamMemberJson, UserJson } from './response-types.ts';
import type { TeamOptions } from './team-options.ts';

type ListOptions = Omit<TeamOptions, 'team'>;

export async function listTeams(options: ListOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const teams = await api.get<TeamJson[]>('/teams');
  if (teams.length === 0) terminal.err('You are not a member of any team.\n');
  await printResult(teams, options, terminal, {
    render: renderTeams,
    names: (items) => items.map(({ name }) => `team/${name}`),
  });
  return EXIT.success;
}

function renderTeams(teams: readonly TeamJson[], paint: Paint, isWide: boolean): string {
  if (teams.length === 0) return '';
  const rows = teams.map((team) => [
    team.name,
    team.role ?? '',
    String(team.members),
    String(team.pipelines),
    team.display_name ?? '',
    ...(isWide ? [team.managed_by, String(team.groups.length)] : []),
  ]);
  const heads = ['NAME', 'YOUR ROLE', 'MEMBERS', 'PIPELINES', 'DISPLAY NAME', 'MANAGED BY', 'GROUPS'];
  return renderTable(heads, rows, paint);
}

export async function showTeam(name: string, options: ListOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const team = await api.get<TeamJson>(requestPath('teams', name));
  await printResult(team, options, terminal, { render: renderTeam, names: (item) => [`team/${item.name}`] });
  return EXIT.success;
}

function renderTeam(team: TeamJson, paint: Paint): string {
  const groups = team.groups.map(({ claim, role }) => `${claim} (${role})`);
  return renderFacts(
    [
      ['name', team.name],
      ['display name', team.display_name ?? ''],
      ['members', String(team.members)],
      ['pipelines', String(team.pipelines)],
      ['groups', groups.join(', ')],
      ['managed by', team.managed_by],
    ],
    paint,
  );
}

export async function listMembers(options: TeamOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const members = await api.get<TeamMemberJson[]>(requestPath('teams', options.team, 'members'));
  await printResult(members, options, terminal, {
    render: renderMembers,
    names: (items) => items.map(({ username }) => `member/${options.team}/${username}`),
  });
  return EXIT.success;
}

function renderMembers(members: readonly TeamMemberJson[], paint: Paint, isWide: boolean): string {
  const rows = members.map((member) => [
    member.username,
    member.role,
    member.group_role ?? '',
    member.full_name,
    ...(isWide ? [timeOf(member.added_at), String(member.id)] : []),
  ]);
  return renderTable(['USER', 'ROLE', 'GROUP ROLE', 'FULL NAME', 'ADDED', 'ID'], rows, paint);
}

export interface UsersOptions extends ListOptions {
  limit: number;
}

/** Lists the accounts, newest first. */
export async function listUsers(options: UsersOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const { rows: users, more } = await readPages(
    async (query) => await api.ask<UserJson[]>('GET', `/users?${query}`),
    { limit: options.limit },
  );
  await printResult(users, options, terminal, {
    render: renderUsers,
    names: (items) => items.map(({ username }) => `user/${username}`),
  });
  if (more) terminal.err(`There are more users: use --limit to show more than ${options.limit}.\n`);
  return EXIT.success;
}

function renderUsers(users: readonly UserJson[], paint: Paint, isWide: boolean): string {
  const rows = users.map((user) => [
    user.username,
    user.full_name,
    stateOf(user),
    shortFields(user.teams),
    ...(isWide ? [user.has_password ? 'yes' : 'no', timeOf(user.created_at), String(user.id)] : []),
  ]);
  return renderTable(['USER', 'FULL NAME', 'STATE', 'TEAMS', 'PASSWORD', 'CREATED', 'ID'], rows, paint);
}

const stateOf = ({ disabled, global_admin: isAdmin }: UserJson): string =>
  [...(disabled ? ['disabled'] : []), ...(isAdmin ? ['global admin'] : [])].join(', ');

export async function showUser(name: string, options: ListOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const user = await api.get<UserJson>(requestPath('users', name));
  await printResult(user, options, terminal, {
    render: renderUser,
    names: ({ username }) => [`user/${username}`],
  });
  return EXIT.success;
}

const renderUser = (user: UserJson, paint: Paint): string =>
  renderFacts(
    [
      ['user', user.username],
      ['full name', user.full_name],
      ['state', stateOf(user)],
      ['teams', shortFields(user.teams)],
      ['created', timeOf(user.created_at)],
    ],
    paint,
  );

export async function listProviders(options: ListOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const providers = await api.get<ProviderJson[]>('/admin/oauth-providers');
  if (providers.length === 0) terminal.err('The server has no identity provider.\n');
  await printResult(providers, options, terminal, {
    render: renderProviders,
    names: (items) => items.map(({ canonical }) => `provider/${canonical}`),
  });
  return EXIT.success;
}

function renderProviders(providers: readonly ProviderJson[], paint: Paint, isWide: boolean): string {
  if (providers.length === 0) return '';
  const rows = providers.map((provider) => [
    provider.canonical,
    provider.display_name ?? '',
    provider.type,
    provider.enabled ? 'yes' : 'no',
    provider.managed_by,
    ...(isWide ? [provider.issuer_url ?? provider.auth_url ?? '', provider.callback_url ?? ''] : []),
  ]);
  return renderTable(
    ['NAME', 'DISPLAY NAME', 'TYPE', 'ENABLED', 'MANAGED BY', 'ADDRESS', 'CALLBACK'],
    rows,
    paint,
  );
}

export interface AuditOptions extends TeamOptions {
  installation?: boolean;
  since?: string;
  until?: string;
  user?: string[];
  action?: string[];
  pipeline?: string;
  limit: number;
}

/** Lists the entries of the audit log, newest first. */
export async function listAudit(options: AuditOptions, terminal: Terminal): Promise<Exit> {
  const { since, until, user, action, pipeline, limit, team } = options;
  const api = await connect(options, terminal);
  const path = options.installation === true ? '/admin/audit' : requestPath('teams', team, 'audit');
  const { rows: entries, more } = await readPages(
    async (query) => await api.ask<AuditEntryJson[]>('GET', `${path}?${query}`),
    { limit, query: defined({ since, until, user, action, pipeline }) },
  );
  if (entries.length === 0) terminal.err('The audit log has no such entries.\n');
  await printResult(entries, options, terminal, {
    render: renderAudit,
    names: (items) => items.map(({ id }) => `audit/${id}`),
  });
  if (more) terminal.err(`There are older entries: use --limit to show more than ${limit}.\n`);
  return EXIT.success;
}

function renderAudit(entries: readonly AuditEntryJson[], paint: Paint, isWide: boolean): string {
  if (entries.length === 0) return '';
  const rows = entries.map((entry) => [
    timeOf(entry.at),
    entry.actor,
    entry.action,
    `${entry.target_type} ${entry.target}`,
    ...(isWide ? [entry.team ?? '', JSON.stringify(entry.details), String(entry.id)] : []),
  ]);
  return renderTable(['TIME', 'WHO', 'ACTION', 'TARGET', 'TEAM', 'DETAILS', 'ID'], rows, paint);
}
