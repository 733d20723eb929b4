import type { Pipeline, Schedule } from '#domain/pipeline/pipeline.ts';
import { checkGroups, type CheckGroup } from '#domain/scheduling/check-groups.ts';
import { checkDeadlineSeconds } from './check-deadline.ts';
import { isPlacementRefusal, placePod, type Placement, type TagRules } from './choose-nodes.ts';
import { isVolumeRefusal, mountVolumes, type MountedVolume, type VolumeRules } from './mount-volumes.ts';
import { checkPodContainersOf } from './plan-checks.ts';
import type { PlanContainer } from './plan.ts';

/** A check group that gets a CronJob, with what its Pods need. */
export interface ScheduledCheck {
  group: CheckGroup & { schedule: Schedule };
  placement: Placement;
  mounts: MountedVolume[];
  containers: PlanContainer[];
  deadlineSeconds: number;
}

/**
 * The check groups that get a CronJob: those with a schedule, if the Team allows their tags and has their
 * volumes.
 */
export function scheduledChecks(
  pipeline: Pipeline,
  rules: TagRules & VolumeRules,
  labelOf: (tag: string) => string,
): ScheduledCheck[] {
  return checkGroups(pipeline).flatMap((group) => {
    const { schedule, tags, resources } = group;
    if (schedule === undefined) return [];
    const placement = placePod(tags, rules, labelOf);
    const containers = checkPodContainersOf(pipeline, resources);
    const mounts = mountVolumes(containers, rules);
    if (isPlacementRefusal(placement) || isVolumeRefusal(mounts)) return [];
    return [
      {
        group: { ...group, schedule },
        placement,
        mounts,
        containers,
        deadlineSeconds: checkDeadlineSeconds(resources.length),
      },
    ];
  });
}
