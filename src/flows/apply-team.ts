import type { NamespaceAnswer, TeamCluster, TeamManifest } from './manifest-ports.ts';
import type { TeamStore } from './ports.ts';

export interface ApplyTeamPorts {
  store: Pick<TeamStore, 'saveTeam'>;
  cluster: TeamCluster;
}

export type TeamApplied =
  { outcome: 'applied'; pipelines: number } | (NamespaceAnswer & { answer: 'refused'; outcome: 'refused' });

/** Manifest → namespace and what fences it → the team's row, without which no pipeline of it is saved. */
export async function applyTeam(manifest: TeamManifest, ports: ApplyTeamPorts): Promise<TeamApplied> {
  const namespace = await ports.cluster.prepareNamespace(manifest);
  if (namespace.answer === 'refused') return { outcome: 'refused', ...namespace };
  const { name, displayName, runningBuilds, retention } = manifest;
  await ports.store.saveTeam({
    name,
    namespace: manifest.namespace,
    ...(displayName === undefined ? {} : { displayName }),
    ...(runningBuilds === undefined ? {} : { runningBuilds }),
    ...(retention === undefined ? {} : { retention }),
  });
  return { outcome: 'applied', pipelines: await ports.cluster.pipelinesIn(manifest.namespace) };
}
