import type { Pipeline, Schedule } from '#domain/pipeline/pipeline.ts';
import { checkGroups, type CheckGroup } from '#domain/scheduling/check-groups.ts';
import { checkDeadlineSeconds } from './check-deadline.ts';
import { checkContainersOf } from './containers.ts';
import { isMisplaced, placePod, type Placement, type TagRules } from './place-pod.ts';
import type { PlanContainer } from './plan.ts';

/** A check group that gets a CronJob, with what its Pods need. */
export interface ScheduledCheck {
  group: CheckGroup & { schedule: Schedule };
  placement: Placement;
  containers: PlanContainer[];
  deadlineSeconds: number;
}

/** Groups without a schedule, and those whose tags the Team refuses, get no CronJob. */
export function scheduledChecks(
  pipeline: Pipeline,
  rules: TagRules,
  labelOf: (tag: string) => string,
): ScheduledCheck[] {
  return checkGroups(pipeline).flatMap((group) => {
    const { schedule, tags, resources } = group;
    if (schedule === undefined) return [];
    const placement = placePod(tags, rules, labelOf);
    if (isMisplaced(placement)) return [];
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
