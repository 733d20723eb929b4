import type { V1CronJob } from '@kubernetes/client-node';
import type { ScheduledCheck } from '#domain/planning/scheduled-checks.ts';
import { checkPodLabels } from './check-pod.ts';
import { ownerReference, type Installation, type OwnerObject, type TeamRules } from './installation.ts';
import { ANNOTATION, LABEL } from './labels.ts';
import { cronJobName } from './names.ts';
import type { ShimKeys } from './pod-work.ts';
import { podSpec } from './pod.ts';

export interface CheckGroupWork extends ScheduledCheck {
  team: string;
  pipeline: string;
  pipelineId: number;
  shim: ShimKeys;
  owner: OwnerObject;
}

const STARTING_DEADLINE_SECONDS = 60;
const FINISHED_JOB_TTL_SECONDS = 120;

/**
 * The CronJob of a check group, with the schedule of the group: a cron expression, or `@every <seconds>s` for
 * an interval. The operator itself starts the checks of groups that have an interval or a schedule that
 * depends on webhooks, and of groups beyond MAX_CRON_JOBS. The CronJob of such a group is suspended: it only
 * shows the schedule, and serves `kubectl create job --from`.
 */
export function checkCronJob(work: CheckGroupWork, team: TeamRules, installation: Installation): V1CronJob {
  const { deadlineSeconds } = work;
  const labels = { ...checkPodLabels(work), [LABEL.checkGroup]: work.group.key };
  const annotations = { [ANNOTATION.resources]: work.group.resources.join(',') };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: {
      name: cronJobName(work.pipeline, work.group.key),
      namespace: team.namespace,
      labels,
      annotations,
      ownerReferences: [ownerReference(work.owner)],
    },
    spec: {
      ...scheduleOf(work),
      suspend: work.group.timedByOperator,
      concurrencyPolicy: 'Forbid',
      startingDeadlineSeconds: STARTING_DEADLINE_SECONDS,
      successfulJobsHistoryLimit: 1,
      failedJobsHistoryLimit: 1,
      jobTemplate: {
        metadata: { labels, annotations },
        spec: {
          backoffLimit: 0,
          activeDeadlineSeconds: deadlineSeconds,
          ttlSecondsAfterFinished: FINISHED_JOB_TTL_SECONDS,
          template: {
            metadata: { labels, annotations },
            spec: podSpec(
              {
                name: '',
                labels,
                annotations,
                containers: work.containers,
                shim: work.shim,
                placement: work.placement,
                mounts: work.mounts,
                deadlineSeconds,
              },
              team,
              installation,
            ),
          },
        },
      },
    },
  };
}

function scheduleOf({ group: { schedule } }: CheckGroupWork): { schedule: string; timeZone: string } {
  if (schedule.kind === 'every') return { schedule: `@every ${schedule.seconds}s`, timeZone: UTC };
  return { schedule: schedule.expression, timeZone: schedule.timeZone ?? UTC };
}

const UTC = 'Etc/UTC';
