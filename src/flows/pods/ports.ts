import type { PodKind, TeamPods } from '#domain/planning/admit-pod.ts';
import type { Placement } from '#domain/planning/place-pod.ts';
import type { CheckPodNeeds, PodNeeds } from '#domain/planning/pod-needs.ts';
import type { StartNode } from '#domain/scheduling/start-window.ts';
import type { CheckRunFacts, OpenAttempt, PendingBuild } from './workloads.ts';

/* Pods: how they are asked for, and what the API server tells of them. */

export type CreatePodAnswer =
  | { answer: 'created' | 'exists'; uid: string }
  | {
      answer: 'refused';
      /** `TeamLimit`: as many run as the Team lets run, so no other of its kind can start either. */
      reason:
        | 'QuotaExceeded'
        | 'TeamLimit'
        | 'Forbidden'
        | 'Invalid'
        /** A Pod that we did not create has the name. */
        | 'NameTaken'
        | 'NamespaceTerminating'
        | 'TagNotAllowed'
        | 'TagsConflict';
      message: string;
    };

/** A Pod that was admitted: where it runs, what runs in it, and for how long. */
export type AdmittedPod = Omit<PodNeeds, 'tags'> & { placement: Placement };
export type AdmittedCheckPod = Omit<CheckPodNeeds, 'tags'> & { placement: Placement };

export interface Cluster {
  /**
   * What the Team says of its Pods; undefined while there is none that is ready. Like all methods that are
   * not asynchronous, no request.
   */
  teamPods(team: string): TeamPods | undefined;
  /** Label of the nodes that offer a tag. */
  nodeLabel(tag: string): string;
  /**
   * Pods of the team that have not ended. One that is being created counts from the moment that `create…` is
   * called.
   */
  runningPods(team: string, kind: PodKind): number;
  /**
   * A Pod of that name with the credential that we give to this work counts as `exists`; any other is
   * `refused`: `NameTaken`.
   */
  createBuildPod(build: PendingBuild, pod: AdmittedPod): Promise<CreatePodAnswer>;
  createCheckPod(run: CheckRunFacts, pod: AdmittedCheckPod): Promise<CreatePodAnswer>;
  /**
   * The Pod that has the name of the attempt's Pod, as the API server has it now, whatever its labels say.
   */
  findBuildPod(attempt: OpenAttempt): Promise<PodFacts | undefined>;
  /**
   * Nodes that take new Pods, of all or of those that the selector names. One of middling size is assumed
   * while none can be read.
   */
  nodes(selector: NodeSelector): StartNode[];
  /** How many Pods may be starting at a time on one node: what has proven bearable lately. */
  startsPerNode(): number;
  deletePod(namespace: string, name: string, uid: string, graceSeconds: number): Promise<void>;
}

/** Labels that a node must have for a Pod. */
export type NodeSelector = Readonly<Record<string, string>>;

/**
 * What the API server tells of a Pod with our labels. Whether it is ours, `own-pods.ts` decides, before
 * anything is judged by it.
 */
export interface PodFacts {
  namespace: string;
  name: string;
  uid: string;
  /** It carries our seal for exactly this namespace, name and work. */
  sealed: boolean;
  /** From the labels: whose Pod it says it is. A check Pod that a CronJob made has no `run`. */
  work:
    | { kind: 'build'; build: number; attempt: number }
    | { kind: 'checks'; pipelineId: number; run?: number; group?: string };
  createdAt: Date;
  /** Deletion was asked for. */
  deleting: boolean;
  /** When it should be gone: the asking plus the time it was given to end. */
  deletedAt?: Date;
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  /**
   * Of the Pod as a whole, as the kubelet or the eviction gave it: `Evicted`, `DeadlineExceeded`, `NodeLost`
   * …
   */
  reason?: string;
  message?: string;
  /** Reason of its condition DisruptionTarget: `EvictionByEvictionAPI`, `PreemptionByScheduler` … */
  disruption?: string;
  /** The scheduler's word while no node is found. */
  unschedulable?: string;
  scheduled: boolean;
  /** Absent: it may run on any node. */
  nodeSelector?: NodeSelector;
  /** When it got its node. */
  scheduledAt?: Date;
  /** In the order of the Pod; the first is the agent. */
  containers: ContainerFacts[];
}

export interface ContainerFacts {
  name: string;
  image: string;
  state: 'waiting' | 'running' | 'terminated';
  /** `ErrImagePull`, `CreateContainerConfigError`, `OOMKilled`, `Completed`, `Error` … */
  reason?: string;
  /** While waiting the kubelet's explanation; of the terminated agent its termination message. */
  message?: string;
  exitCode?: number;
  signal?: number;
  startedAt?: Date;
  finishedAt?: Date;
}
