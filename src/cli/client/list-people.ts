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
  if (teams.length === 0) terminal.err('You are a member of no team.\n');
  await printResult(teams, options, terminal, {
    render: asTeams,
    names: (all) => all.map(({ name }) => `team/${name}`),
  });
  return EXIT.success;
}

function asTeams(teams: readonly TeamJson[], paint: Paint, isWide: boolean): string {
  if (teams.length === 0) return '';
  const rows = teams.map((one) => [
    one.name,
    one.role ?? '',
    String(one.members),
    String(one.pipelines),
    one.display_name ?? '',
    ...(isWide ? [one.managed_by, String(one.groups.length)] : []),
  ]);
  const heads = ['NAME', 'YOUR ROLE', 'MEMBERS', 'PIPELINES', 'DISPLAY NAME', 'MANAGED BY', 'GROUPS'];
  return renderTable(heads, rows, paint);
}

export async function showTeam(name: string, options: ListOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const team = await api.get<TeamJson>(requestPath('teams', name));
  await printResult(team, options, terminal, { render: asTeam, names: (one) => [`team/${one.name}`] });
  return EXIT.success;
}

function asTeam(team: TeamJson, paint: Paint): string {
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
    render: asMembers,
    names: (all) => all.map(({ username }) => `member/${options.team}/${username}`),
  });
  return EXIT.success;
}

function asMembers(members: readonly TeamMemberJson[], paint: Paint, isWide: boolean): string {
  const rows = members.map((one) => [
    one.username,
    one.role,
    one.group_role ?? '',
    one.full_name,
    ...(isWide ? [timeOf(one.added_at), String(one.id)] : []),
  ]);
  return renderTable(['USER', 'ROLE', 'ROLE OF GROUPS', 'FULL NAME', 'ADDED', 'ID'], rows, paint);
}

export interface UsersOptions extends ListOptions {
  limit: number;
}

/** Newest first. */
export async function listUsers(options: UsersOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const { rows: users, more } = await readPages(
    async (query) => await api.ask<UserJson[]>('GET', `/users?${query}`),
    { limit: options.limit },
  );
  await printResult(users, options, terminal, {
    render: asUsers,
    names: (all) => all.map(({ username }) => `user/${username}`),
  });
  if (more) terminal.err(`There are more users: use --limit to show more than ${options.limit}.\n`);
  return EXIT.success;
}

function asUsers(users: readonly UserJson[], paint: Paint, isWide: boolean): string {
  const rows = users.map((one) => [
    one.username,
    one.full_name,
    stateOf(one),
    shortFields(one.teams),
    ...(isWide ? [one.has_password ? 'yes' : 'no', timeOf(one.created_at), String(one.id)] : []),
  ]);
  return renderTable(['USER', 'FULL NAME', 'STATE', 'TEAMS', 'PASSWORD', 'CREATED', 'ID'], rows, paint);
}

const stateOf = ({ disabled, global_admin: isAdmin }: UserJson): string =>
  [...(disabled ? ['disabled'] : []), ...(isAdmin ? ['global admin'] : [])].join(', ');

export async function showUser(name: string, options: ListOptions, terminal: Terminal): Promise<Exit> {
  const api = await connect(options, terminal);
  const user = await api.get<UserJson>(requestPath('users', name));
  await printResult(user, options, terminal, { render: asUser, names: (one) => [`user/${one.username}`] });
  return EXIT.success;
}

const asUser = (user: UserJson, paint: Paint): string =>
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
    render: asProviders,
    names: (all) => all.map(({ canonical }) => `provider/${canonical}`),
  });
  return EXIT.success;
}

function asProviders(providers: readonly ProviderJson[], paint: Paint, isWide: boolean): string {
  if (providers.length === 0) return '';
  const rows = providers.map((one) => [
    one.canonical,
    one.display_name ?? '',
    one.type,
    one.enabled ? 'yes' : 'no',
    one.managed_by,
    ...(isWide ? [one.issuer_url ?? one.auth_url ?? '', one.callback_url ?? ''] : []),
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

/** Newest first. */
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
    render: asAudit,
    names: (all) => all.map(({ id }) => `audit/${id}`),
  });
  if (more) terminal.err(`There are older entries: use --limit to show more than ${limit}.\n`);
  return EXIT.success;
}

function asAudit(entries: readonly AuditEntryJson[], paint: Paint, isWide: boolean): string {
  if (entries.length === 0) return '';
  const rows = entries.map((one) => [
    timeOf(one.at),
    one.actor,
    one.action,
    `${one.target_type} ${one.target}`,
    ...(isWide ? [one.team ?? '', JSON.stringify(one.details), String(one.id)] : []),
  ]);
  return renderTable(['TIME', 'WHO', 'ACTION', 'TARGET', 'TEAM', 'DETAILS', 'ID'], rows, paint);
}
