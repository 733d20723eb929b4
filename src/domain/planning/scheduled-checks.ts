import type { Pipeline, Schedule } from '#domain/pipeline/pipeline.ts';
import { checkGroups, type CheckGroup } from '#domain/scheduling/check-groups.ts';
import { checkDeadlineSeconds } from './check-deadline.ts';
import { checkContainersOf } from './containers.ts';
import { isPlacementRefusal, placePod, type Placement, type TagRules } from './place-pod.ts';
import type { PlanContainer } from './plan.ts';

/** A check group that gets a CronJob, with what its Pods need. */
export interface ScheduledCheck {
  group: CheckGroup & { schedule: Schedule };
  placement: Placement;
  containers: PlanContainer[];
  deadlineSeconds: number;
}

/** The check groups that get a CronJob: those with a schedule, and with tags that the Team allows. */
export function scheduledChecks(
  pipeline: Pipeline,
  rules: TagRules,
  labelOf: (tag: string) => string,
): ScheduledCheck[] {
  return checkGroups(pipeline).flatMap((group) => {
    const { schedule, tags, resources } = group;
    if (schedule === undefined) return [];
    const placement = placePod(tags, rules, labelOf);
    if (isPlacementRefusal(placement)) return [];
    return [
      {
        group: { ...group, schedule },
        placement,
        containers: checkContainersOf(pipeline, resources),
        deadlineSeconds: checkDeadlineSeconds(resources.length),
      },
    ];
  });
}
