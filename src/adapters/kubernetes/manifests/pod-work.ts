import type { Placement } from '#domain/planning/choose-nodes.ts';
import type { MountedVolume } from '#domain/planning/mount-volumes.ts';
import type { PlanContainer } from '#domain/planning/plan.ts';
import type { OwnerObject } from './installation.ts';

/**
 * The secret of the connections between the agent and the shims, and the key of each container, which is
 * derived from the secret. Both are worthless outside their Pod.
 */
export interface ShimKeys {
  secret: string;
  keyOf(container: string): string;
}

/** The volume of a cache of a resource or job. */
export interface CacheVolume {
  claim: string;
  folder: string;
  containers: string[];
}

/** What a Pod is for: a build, checks, hooks or notifications, or waiting for a build. */
export interface PodWork {
  name: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
  containers: PlanContainer[];
  /** Proves to the gateway which Pod the agent is in. Absent in the template of a CronJob. */
  nonce?: string;
  shim: ShimKeys;
  placement: Placement;
  caches?: CacheVolume[];
  /** Volumes of the Team. Absent: none. */
  mounts?: MountedVolume[];
  /** Time limit in case the agent hangs, counted from the Pod's start, including image pulls. */
  deadlineSeconds: number;
  owner?: OwnerObject;
}
