import { removeSavedTeam } from './save-team.ts';
import type { TeamCluster, TeamManifest, TeamStore } from './team-ports.ts';

export interface RemoveTeamPorts {
  store: Pick<TeamStore, 'withTeam'>;
  cluster: Pick<TeamCluster, 'pipelinesOf'>;
  now(): Date;
}

export type TeamRemoved = { outcome: 'removed' } | { outcome: 'waiting'; message: string };

/**
 * Removes a team that has no pipelines. Otherwise the deletion of the Team object waits. The namespace stays.
 */
export async function removeTeam(manifest: TeamManifest, ports: RemoveTeamPorts): Promise<TeamRemoved> {
  const pipelines = await ports.cluster.pipelinesOf(manifest);
  if (pipelines > 0) {
    const left = pipelines === 1 ? 'One Pipeline is' : `${pipelines} Pipelines are`;
    const message = `${left} left in namespace ${manifest.namespace}. The team is deleted once none is left.`;
    return { outcome: 'waiting', message };
  }
  const act = { by: manifest.byApi?.changedBy, at: ports.now() };
  if ((await removeSavedTeam(manifest.name, act, ports.store)) === 'removed') return { outcome: 'removed' };
  return { outcome: 'waiting', message: 'The deletion of its last Pipelines is not finished yet.' };
}
