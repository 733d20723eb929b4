import type { V1Pod } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import type { OwnerObject, TeamRules } from '#adapters/kubernetes/manifests/installation.ts';
import type { PodKind } from '#domain/planning/admit-pod.ts';
import type { StartNode } from '#domain/scheduling/start-window.ts';
import type { NodeSelector } from '#flows/pods/ports.ts';
import type { WarmTeam } from '#flows/pods/warm-ports.ts';

/** What the informers know about the cluster. Reading it makes no request. */
export interface ClusterCache {
  team(name: string): { rules: TeamRules; runningBuilds: number; runningChecks: number } | undefined;
  /** Teams that keep Pods ready. */
  warmTeams(): WarmTeam[];
  /** The Pipeline object that owns the Pods of this pipeline. */
  pipelineOwner(namespace: string, name: string): OwnerObject | undefined;
  /** How many Pods of this kind in the namespace have not ended. Undefined before the Pods are listed. */
  runningPods(namespace: string, kind: PodKind): number | undefined;
  /** Returns false while a Team owns the namespace and its Pods are not listed. */
  podsListed(namespace: string): boolean;
  nodes(selector: NodeSelector): StartNode[];
  /** Adds a Pod that was just created, before its watch event arrives. */
  created(pod: Wire<V1Pod>): void;
}
