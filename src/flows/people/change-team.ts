import { ignoredGroups } from '#domain/access/group-roles.ts';
import { teamNameFault } from '#domain/access/names-and-passwords.ts';
import { refuseTeamChange } from '#domain/access/refuse-team-change.ts';
import type { OAuthStore } from './oauth-ports.ts';
import type { ObjectAnswer, TeamObjects } from './object-ports.ts';
import { poll, type PollPorts } from './poll.ts';
import type { AuditedAct, ChangeResult, MemberStore, TeamChange, TeamView } from './ports.ts';

export interface ChangeTeamPorts extends PollPorts {
  objects: TeamObjects;
  members: Pick<MemberStore, 'team' | 'withTeam'>;
}

export type TeamMade =
  | Exclude<ObjectAnswer, { answer: 'done' }>
  | { answer: 'done'; team: TeamView }
  /** The operator has not applied the change of the object yet. */
  | { answer: 'waiting' }
  | { answer: 'fault'; message: string };

/**
 * Creates the Team object, and waits a limited time until the operator has created the team. If the operator
 * refuses the object, deletes it again. The caller becomes the team's first admin.
 */
export async function createTeam(
  { name, displayName }: { name: string; displayName: string | undefined },
  act: AuditedAct,
  ports: ChangeTeamPorts,
): Promise<TeamMade> {
  const fault = teamNameFault(name);
  if (fault !== undefined) return { answer: 'fault', message: fault };
  const created = await ports.objects.create(name, act.by);
  if (created.answer !== 'done') return created;
  const refused = await waitUntilCreated(name, ports);
  if (refused !== undefined) {
    await ports.objects.remove(name, act.by);
    return { answer: 'refused', message: refused };
  }
  if (displayName !== undefined) await writeTeamChange(name, { displayName }, act, ports);
  const team = await ports.members.team(name);
  return team === undefined ? { answer: 'waiting' } : { answer: 'done', team };
}

/**
 * Waits a limited time for the operator. Returns why the team cannot be created; undefined if it exists or
 * may still be created.
 */
async function waitUntilCreated(
  name: string,
  { objects, members, ...ports }: ChangeTeamPorts,
): Promise<string | undefined> {
  const ended = await poll(async (): Promise<{ refused?: string } | undefined> => {
    if ((await members.team(name)) !== undefined) return {};
    const read = await objects.read(name);
    return read.answer === 'done' && read.value.refused !== undefined ? read.value : undefined;
  }, ports);
  return ended?.refused;
}

/**
 * Deletes the Team object, and waits a limited time until the operator has removed the team. Refuses to
 * delete a team that has pipelines.
 */
export async function deleteTeam(
  name: string,
  act: AuditedAct,
  { objects, members, ...ports }: ChangeTeamPorts,
): Promise<Exclude<TeamMade, { answer: 'fault' | 'done' }> | { answer: 'gone' }> {
  const team = await members.team(name);
  if (team !== undefined && team.pipelines > 0) {
    const left =
      team.pipelines === 1
        ? 'One pipeline is left in the team. Delete it first.'
        : `${team.pipelines} pipelines are left in the team. Delete them first.`;
    const read = await objects.read(name);
    if (read.answer === 'managed') return read;
    return { answer: 'refused', message: left };
  }
  const removed = await objects.remove(name, act.by);
  if (removed.answer !== 'done') return removed;
  const isGone = async (): Promise<true | undefined> =>
    (await members.team(name)) === undefined ? true : undefined;
  return { answer: (await poll(isGone, ports)) ? 'gone' : 'waiting' };
}

/** Changes the fields of a team that its Team object does not set. Writes only to the database. */
export async function updateTeam(
  name: string,
  change: TeamChange,
  act: AuditedAct,
  { members, oauth }: Pick<ChangeTeamPorts, 'members'> & { oauth: Pick<OAuthStore, 'providers'> },
): Promise<ChangeResult | { answer: 'fault'; message: string }> {
  const { groups = [] } = change;
  const claims = groups.map(({ claim }) => claim);
  const repeated = claims.find((claim, index) => claims.indexOf(claim) < index);
  if (repeated !== undefined)
    return { answer: 'fault', message: `The group ${repeated} is named twice. Remove one.` };
  const providers = groups.length === 0 ? [] : await oauth.providers();
  const groupProviders = providers
    .filter(({ enabled, groupsClaim }) => enabled && groupsClaim !== undefined)
    .map(({ canonical }) => canonical);
  const ignored = ignoredGroups(groups, groupProviders);
  if (ignored !== undefined) return { answer: 'fault', message: ignored.message };
  return await writeTeamChange(name, change, act, { members });
}

async function writeTeamChange(
  name: string,
  change: TeamChange,
  act: AuditedAct,
  { members }: { members: Pick<MemberStore, 'withTeam'> },
): Promise<ChangeResult> {
  return await members.withTeam(name, async (tx): Promise<ChangeResult> => {
    const team = await tx.team();
    if (team === undefined) return { answer: 'unknown', what: `Team ${name}` };
    const refusal = refuseTeamChange(team, change);
    if (refusal !== undefined) return { answer: 'refused', refusal };
    await tx.change(team.id, change, act);
    return { answer: 'done', value: undefined };
  });
}
