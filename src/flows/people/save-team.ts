import { refuseMembers } from '#domain/access/last-admin.ts';
import type { TeamSaved, TeamStore, TeamToSave, TeamTransaction } from './team-ports.ts';

type Store = Pick<TeamStore, 'withTeam'>;

/** The actor in the audit log for Team objects of manifests. */
const MANIFEST = 'manifest';

/**
 * Saves the fields of a Team object. Refuses a list of members that would leave the team without an admin,
 * but saves the other fields.
 */
export async function saveTeam(team: TeamToSave, at: Date, store: Store): Promise<TeamSaved> {
  return await store.withTeam(team.name, async (tx) => {
    const existing = await tx.team();
    const id = await tx.saveRow(team, existing);
    const act = { id, team: team.name, by: MANIFEST, at };
    if (existing === undefined || existing.removed) await recordNewTeam(tx, team, act);
    const message = team.members && refuseMembers(await tx.admins(id, team.members));
    if (team.members !== undefined && message === undefined) await tx.saveMembers(team.members, act);
    if (team.groups !== undefined) await tx.saveGroups(team.groups, act);
    const saved = await tx.saved(id);
    return message === undefined ? saved : { ...saved, refused: { reason: 'LastAdmin', message } };
  });
}

/** A person who creates a team through the API becomes its first admin. */
async function recordNewTeam(
  tx: TeamTransaction,
  { byApi }: TeamToSave,
  act: Parameters<TeamTransaction['recordCreation']>[0],
): Promise<void> {
  await tx.recordCreation({ ...act, by: byApi?.changedBy ?? act.by });
  if (byApi?.changedBy !== undefined) await tx.addAdmin(byApi.changedBy, act);
}

/** Removes a team that has no pipelines. */
export async function removeSavedTeam(
  team: string,
  { by = MANIFEST, at }: { by?: string | undefined; at: Date },
  store: Store,
): Promise<'removed' | 'has-pipelines'> {
  return await store.withTeam(team, async (tx) => {
    const existing = await tx.team();
    if (existing === undefined || existing.removed) return 'removed';
    if (await tx.hasPipelines(existing.id)) return 'has-pipelines';
    await tx.remove({ id: existing.id, team, by, at });
    return 'removed';
  });
}
