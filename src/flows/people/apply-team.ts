import { defined } from '#defined';
import { ignoredGroups, type IgnoredGroups } from '#domain/access/group-roles.ts';
import { whyReserved } from '#domain/access/reserved-namespaces.ts';
import { secondsOf } from '#domain/language/duration.ts';
import { bytesOf } from '#domain/planning/quantity.ts';
import { saveTeam } from './save-team.ts';
import type {
  NamespaceAnswer,
  TeamCluster,
  TeamManifest,
  TeamSaved,
  TeamStore,
  TeamToSave,
} from './team-ports.ts';

export interface ApplyTeamPorts {
  store: Pick<TeamStore, 'withTeam'>;
  cluster: TeamCluster;
  now(): Date;
}

export type TeamApplied =
  | { outcome: 'applied'; pipelines: number; saved: TeamSaved; ignoredGroups?: IgnoredGroups }
  | (NamespaceAnswer & { answer: 'refused'; outcome: 'refused' });

/** Applies a Team object: first its namespace with everything in it, then the team's row and members. */
export async function applyTeam(manifest: TeamManifest, ports: ApplyTeamPorts): Promise<TeamApplied> {
  const reserved = whyReserved(manifest.namespace);
  if (reserved !== undefined)
    return { outcome: 'refused', answer: 'refused', reason: 'NamespaceReserved', message: reserved };
  const namespace = await ports.cluster.prepareNamespace(manifest);
  if (namespace.answer === 'refused') return { outcome: 'refused', ...namespace };
  const saved = await saveTeam(rowOf(manifest), ports.now(), ports.store);
  const ignored = ignoredGroups(saved.groups, saved.groupProviders);
  return {
    outcome: 'applied',
    pipelines: await ports.cluster.pipelinesOf(manifest),
    saved,
    ...defined({ ignoredGroups: ignored }),
  };
}

function rowOf(manifest: TeamManifest): TeamToSave {
  const { uid: _, defaultTimeout = '', buildLogLimit = '', ...team } = manifest;
  const defaultTimeoutSeconds = secondsOf(defaultTimeout);
  return { ...team, ...defined({ defaultTimeoutSeconds, buildLogBytes: bytesOf(buildLogLimit) }) };
}
