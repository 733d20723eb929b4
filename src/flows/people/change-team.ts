import { ignoredGroups } from '#domain/access/group-roles.ts';
import { teamNameFault } from '#domain/access/names-and-passwords.ts';
import { refuseTeamChange } from '#domain/access/refuse-team-change.ts';
import type { OAuthStore } from './oauth-ports.ts';
import type { ObjectAnswer, TeamObjects } from './object-ports.ts';
import type { AuditedAct, ChangeResult, MemberStore, TeamChange, TeamView } from './ports.ts';

export interface ChangeTeamPorts {
  objects: TeamObjects;
  members: Pick<MemberStore, 'team' | 'withTeam'>;
  wait: (milliseconds: number) => Promise<void>;
}

export type TeamMade =
  | Exclude<ObjectAnswer, { answer: 'done' }>
  | { answer: 'done'; team: TeamView }
  /** The operator has not applied the change of the object yet. */
  | { answer: 'waiting' }
  | { answer: 'fault'; message: string };

/** How many times a request reads, at most, whether the operator has applied its change. */
const MAX_READS = 80;
const PAUSE_MS = 100;

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
  { objects, members, wait }: ChangeTeamPorts,
): Promise<string | undefined> {
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    if ((await members.team(name)) !== undefined) return undefined;
    const read = await objects.read(name);
    if (read.answer === 'done' && read.value.refused !== undefined) return read.value.refused;
    await wait(PAUSE_MS);
  }
  return undefined;
}

/** Deletes the Team object, and waits a limited time until the operator has removed the team. */
export async function deleteTeam(
  name: string,
  act: AuditedAct,
  { objects, members, wait }: ChangeTeamPorts,
): Promise<Exclude<TeamMade, { answer: 'fault' | 'done' }> | { answer: 'gone' }> {
  const team = await members.team(name);
  if (team !== undefined && team.pipelines > 0) {
    const left = team.pipelines === 1 ? 'One pipeline is' : `${team.pipelines} pipelines are`;
    const read = await objects.read(name);
    if (read.answer === 'managed') return read;
    return { answer: 'refused', message: `${left} left in the team: delete them first.` };
  }
  const removed = await objects.remove(name, act.by);
  if (removed.answer !== 'done') return removed;
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    if ((await members.team(name)) === undefined) return { answer: 'gone' };
    await wait(PAUSE_MS);
  }
  return { answer: 'waiting' };
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
  if (new Set(claims).size < claims.length) return { answer: 'fault', message: 'A group is named twice.' };
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
