import {
  isPlacementRefusal,
  placePod,
  type Placement,
  type PlacementRefusal,
  type TagRules,
} from './choose-nodes.ts';
import {
  isVolumeRefusal,
  mountVolumes,
  type MountedVolume,
  type VolumeRefusal,
  type VolumeRules,
} from './mount-volumes.ts';
import type { PlanContainer } from './plan.ts';

export type PodKind = 'build' | 'check';

/** The Team's rules for its Pods. */
export interface TeamPods {
  rules: TagRules & VolumeRules;
  /** Pods of each kind at a time. Infinity: no limit. */
  limits: Record<PodKind, number>;
}

export interface PodToAdmit {
  kind: PodKind;
  /** Name of the team. */
  team: string;
  tags: readonly string[];
  containers: readonly PlanContainer[];
  /** The node label of a tag that the Team does not define. */
  labelOf(tag: string): string;
  /** Pods of the kind that the team has, including those being created. Undefined: not known yet. */
  running(): number | undefined;
}

export type PodAdmission =
  | { answer: 'admitted'; placement: Placement; mounts: MountedVolume[] }
  | {
      answer: 'refused';
      reason: 'Forbidden' | 'TeamLimit' | PlacementRefusal['reason'] | VolumeRefusal['reason'];
      message: string;
    };

/**
 * Where a Pod may run and what it mounts, or why it may not be created now. `team` undefined: no such Team is
 * ready.
 */
export function admitPod(pod: PodToAdmit, team: TeamPods | undefined): PodAdmission {
  if (team === undefined) {
    return { answer: 'refused', reason: 'Forbidden', message: `There is no Team ${pod.team} that is ready.` };
  }
  const placement = placePod(pod.tags, team.rules, (tag) => pod.labelOf(tag));
  if (isPlacementRefusal(placement)) return { answer: 'refused', ...placement };
  const mounts = mountVolumes(pod.containers, team.rules);
  if (isVolumeRefusal(mounts)) return { answer: 'refused', ...mounts };
  const limit = team.limits[pod.kind];
  if (limit === Infinity) return { answer: 'admitted', placement, mounts };
  const running = pod.running();
  if (running !== undefined && running < limit) return { answer: 'admitted', placement, mounts };
  const noun = pod.kind === 'build' ? 'builds' : 'checks';
  const message =
    running === undefined
      ? `Millrace is still counting the ${noun} of Team ${pod.team}, which may run ${limit} at a time.`
      : `Team ${pod.team} runs ${running} of ${limit} ${noun} that it may run at a time.`;
  return { answer: 'refused', reason: 'TeamLimit', message };
}
