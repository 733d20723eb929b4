import type { Placement } from '#domain/planning/choose-nodes.ts';
import type { MountedVolume } from '#domain/planning/mount-volumes.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import type { OwnerObject } from './installation.ts';

/** Secret of the shims' channel and each container's key made from it. Worth nothing outside the one Pod. */
export interface ShimKeys {
  secret: string;
  keyOf(container: string): string;
}

/** The volume of a resource's cache. */
export interface CacheVolume {
  claim: string;
  folder: string;
  containers: string[];
}

/** What a Pod runs: a build, or the checks of one check group. */
export interface PodWork {
  name: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  containers: PlanContainer[];
  /** Proves to the gateway which Pod the agent is in; the template of a CronJob cannot have one. */
  nonce?: string;
  shim: ShimKeys;
  placement: Placement;
  caches?: CacheVolume[];
  /** Volumes of the Team. Absent: none. */
  mounts?: MountedVolume[];
  /** Backstop for agents that hang: counted from the Pod's start, image pulls included. */
  deadlineSeconds: number;
  owner?: OwnerObject;
}
