import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { hookActionsOf } from '#domain/pipeline/steps.ts';
import { automaticNotifications } from '#domain/planning/find-in-pipeline.ts';
import { serviceSteps } from '#domain/planning/service-containers.ts';

/**
 * After SIGTERM, a command has 10 s to end. Then the agent sends SIGKILL, and 30 s later the command counts
 * as lost.
 */
const KILL_SECONDS = 40;
/** How long the agent may take to report the end of the build. */
const REPORT_SECONDS = 20;

/** Timeout of a notification. */
export const NOTIFICATION_SECONDS = 2 * 60;
/** Timeout of the `stop` of a service. */
export const SERVICE_STOP_SECONDS = 60;
/**
 * How long the processes that a service leaves behind may take to end. The shim sends signals to them for at
 * most 10 s, then the container of the shim ends.
 */
export const SERVICE_SWEEP_SECONDS = 20;
/** Time limit after a cancel for all hooks, notifications and stops of services together. */
export const CLEANUP_SECONDS = 9 * 60;

/**
 * How many seconds an agent may take to end a cancelled build before the operator deletes its Pod. The time
 * includes hooks, notifications and stops of services (at most `CLEANUP_SECONDS` together), because any of
 * them may be running when the cancel arrives, and then runs to its end.
 */
export function cancelGraceSeconds(
  pipeline: Pick<Pipeline, 'jobs' | 'notifications'>,
  jobName: string,
): number {
  const job = pipeline.jobs.find(({ name }) => name === jobName);
  const minimum = KILL_SECONDS + REPORT_SECONDS;
  if (job === undefined) return minimum;
  const hooks = hookActionsOf(job).length > 0 ? CLEANUP_SECONDS : 0;
  const services = serviceSteps(job.steps).length;
  const notifications = automaticNotifications(pipeline, jobName).length;
  const cleanup =
    hooks + services * SERVICE_STOP_SECONDS + notifications * (NOTIFICATION_SECONDS + KILL_SECONDS);
  // The commands `start` and `stop` of a service, and the processes that they left behind, may still have to
  // be ended after that limit.
  const serviceEnds = services * (2 * KILL_SECONDS + SERVICE_SWEEP_SECONDS);
  return minimum + Math.min(cleanup, CLEANUP_SECONDS) + serviceEnds;
}
