import type { V1Pod } from '@kubernetes/client-node';
import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import type { OwnerObject, TeamRules } from '#adapters/kubernetes/manifests/installation.ts';
import type { PodKind } from '#domain/planning/admit-pod.ts';
import type { StartNode } from '#domain/scheduling/start-window.ts';
import type { NodeSelector } from '#flows/pods/ports.ts';
import type { WarmTeam } from '#flows/pods/warm-ports.ts';

/** What the informers know about the cluster. Reading it makes no request. */
export interface ClusterCache {
  /** The rules of a Team, and how many builds and checks it may run at a time; Infinity: no limit. */
  team(name: string): { rules: TeamRules; runningBuilds: number; runningChecks: number } | undefined;
  /** Teams that keep warm Pods, without those that are being deleted or whose Pods are not listed yet. */
  warmTeams(): WarmTeam[];
  /** The Pipeline object that owns the Pods of this pipeline. */
  pipelineOwner(namespace: string, name: string): OwnerObject | undefined;
  /**
   * How many Pods of Millrace of this kind in the namespace have not ended. Undefined until the first lists
   * of the namespace are complete.
   */
  runningPods(namespace: string, kind: PodKind): number | undefined;
  /**
   * False if a Team owns the namespace but the first lists of the namespace are not complete. True for other
   * namespaces.
   */
  podsListed(namespace: string): boolean;
  /** The nodes on which a Pod with this selector may start. If no node is known, one is assumed. */
  nodes(selector: NodeSelector): StartNode[];
  /** Adds a Pod that was just created or read, before its watch event arrives. */
  created(pod: Wire<V1Pod>): void;
}
