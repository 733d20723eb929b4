import type { PodKind, TeamPods } from '#domain/planning/admit-pod.ts';
import type { Placement } from '#domain/planning/choose-nodes.ts';
import type { MountedVolume } from '#domain/planning/mount-volumes.ts';
import type { CheckPodNeeds, PodNeeds } from '#domain/planning/pod-needs.ts';
import type { WarmSettings } from '#domain/scheduling/decide-warm-pods.ts';
import type { Sharing } from '#domain/scheduling/pace-starts.ts';
import type { StartNode } from '#domain/scheduling/start-window.ts';
import type { CacheClaim, CacheSettings, ClaimAnswer, PodCache } from './cache-ports.ts';
import type { WarmPodToCreate, WarmTeam } from './warm-ports.ts';
import type { CheckRunFacts, OpenAttempt, PendingBuild } from './workloads.ts';

/* Pods: how flows create them, and what the API server reports about them. */

export type CreatePodAnswer =
  | { answer: 'created' | 'exists'; uid: string }
  | {
      answer: 'refused';
      /** `TeamLimit`: the Team's limit of running Pods of this kind is reached. */
      reason:
        | 'QuotaExceeded'
        | 'TeamLimit'
        | 'Forbidden'
        | 'Invalid'
        /** A Pod of this name exists that Millrace did not create. */
        | 'NameTaken'
        | 'NamespaceTerminating'
        | 'TagNotAllowed'
        | 'TagsConflict'
        | 'VolumeRefused';
      message: string;
    };

/**
 * A Pod that the rules of its Team allow, with its containers, volumes, node selector, tolerations and
 * deadline.
 */
export type AdmittedPod = Admitted<PodNeeds>;
export type AdmittedCheckPod = Admitted<CheckPodNeeds>;
type Admitted<Needs> = Omit<Needs, 'tags' | 'caches'> & {
  placement: Placement;
  mounts: MountedVolume[];
  caches: PodCache[];
};

/**
 * What the watches show of the cluster, and requests to the API server. Methods that return no promise make
 * no request.
 */
export interface Cluster {
  /** Settings of the Team for its Pods; undefined if there is no Team of this name. */
  teamPods(team: string): (TeamPods & { caches?: CacheSettings; warm?: WarmSettings }) | undefined;
  /** Label of the nodes that have a tag. */
  nodeLabel(tag: string): string;
  /**
   * Pods of the team of this kind that have not ended. A Pod counts from the call of `create…` on. Undefined
   * while the Pods of the team are not listed yet.
   */
  runningPods(team: string, kind: PodKind): number | undefined;
  /**
   * False while a Team owns the namespace and the watch has not listed its Pods. Until then, a Pod may exist
   * that the watch does not show.
   */
  podsListed(namespace: string): boolean;
  /**
   * A Pod of that name with Millrace's credential for this work counts as `exists`. Any other Pod of that
   * name leads to `refused` with `NameTaken`.
   */
  createBuildPod(build: PendingBuild, pod: AdmittedPod): Promise<CreatePodAnswer>;
  createCheckPod(run: CheckRunFacts, pod: AdmittedCheckPod): Promise<CreatePodAnswer>;
  /** Teams that keep Pods ready. */
  warmTeams(): WarmTeam[];
  /** A text that is equal for two Pods of a team if they differ only in the fields that name their build. */
  shapeOf(team: string, pod: AdmittedPod): string;
  createWarmPod(warm: WarmPodToCreate, pod: AdmittedPod): Promise<CreatePodAnswer & { name: string }>;
  /** Creates the PersistentVolumeClaim of a cache, unless it exists. */
  prepareClaim(claim: CacheClaim): Promise<ClaimAnswer>;
  /**
   * Reads from the API server the Pod that has the name of the attempt's Pod, whatever the labels of that Pod
   * are.
   */
  findBuildPod(attempt: OpenAttempt): Promise<PodFacts | undefined>;
  /**
   * Schedulable nodes that match the selector. If no node of the cluster is known, one of medium size is
   * assumed.
   */
  nodes(selector: NodeSelector): StartNode[];
  /** How many Pods may start at a time on one node, adapted to how fast recent Pods started. */
  startsPerNode(): number;
  /** How the team shares the nodes with other teams. */
  sharing(team: string): Sharing;
  deletePod(namespace: string, name: string, uid: string, graceSeconds: number): Promise<void>;
}

/** Labels that a node must have to take a Pod. */
export type NodeSelector = Readonly<Record<string, string>>;

/** A Pod with the labels of Millrace. `verify-pods.ts` decides whether Millrace created the Pod. */
export interface PodFacts {
  namespace: string;
  name: string;
  uid: string;
  /**
   * The Pod has a valid seal for its namespace, its name and the work in its labels (see pod-ownership.ts).
   */
  sealed: boolean;
  /** The work that the labels name, which may be untrue. A check Pod of a CronJob has no `run`. */
  work:
    | { kind: 'build'; build: number; attempt: number }
    | { kind: 'checks'; pipelineId: number; run?: number; group?: string }
    /** Created as a warm Pod. The labels stay when a build takes the Pod. */
    | { kind: 'warm'; warm: number };
  createdAt: Date;
  /** The deletion of the Pod was requested. */
  deleting: boolean;
  /** When the grace period of the deletion ends. */
  deletedAt?: Date;
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  /** Reason of the Pod as a whole: `Evicted`, `DeadlineExceeded`, `NodeLost` … */
  reason?: string;
  message?: string;
  /** Reason of the Pod's condition DisruptionTarget: `EvictionByEvictionAPI`, `PreemptionByScheduler` … */
  disruption?: string;
  /** The Kubernetes scheduler's message while no node fits. */
  unschedulable?: string;
  scheduled: boolean;
  /** The Pod mounts a cache of a resource or job. */
  hasCache?: boolean;
  /** The Pod's volumes are mounted, and its network is set up. Absent: the kubelet does not report this. */
  sandboxReady?: boolean;
  /** Absent: any node. */
  nodeSelector?: NodeSelector;
  /** When the Kubernetes scheduler bound the Pod to a node. */
  scheduledAt?: Date;
  /** In the order of the Pod's spec; the first is the agent. */
  containers: ContainerFacts[];
}

export interface ContainerFacts {
  name: string;
  image: string;
  state: 'waiting' | 'running' | 'terminated';
  /** `ErrImagePull`, `CreateContainerConfigError`, `OOMKilled`, `Completed`, `Error` … */
  reason?: string;
  /**
   * Of a waiting container: the kubelet's explanation. Of a container that ended: its termination message.
   */
  message?: string;
  exitCode?: number;
  signal?: number;
  startedAt?: Date;
  finishedAt?: Date;
}
