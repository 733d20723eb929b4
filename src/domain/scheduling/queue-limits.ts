import { MAX_BUILDS_PER_DECISION } from './decision.ts';
import type { Reason } from './reasons.ts';

/** Limit for the builds of one pipeline that have not started. */
export const MAX_QUEUED_BUILDS = 2000;
/**
 * While more builds than this are queued, Millrace creates no automatic or cascaded builds. So the automatic
 * builds of one decision fit within the limit.
 */
export const AUTOMATIC_PAUSE_ABOVE = MAX_QUEUED_BUILDS - MAX_BUILDS_PER_DECISION;

/** The reason of queued builds that have no stored reason yet, with its code. */
export const QUEUED = 'Queued: The build waits for its turn. The oldest builds of its job come first.';

const formatCount = (count: number): string => count.toLocaleString('en');

export const QUEUE_PAUSED_MESSAGE =
  `More than ${formatCount(AUTOMATIC_PAUSE_ABOVE)} builds of the pipeline have not started, ` +
  'so new and cascaded versions create no more builds. This resumes by itself when fewer builds wait: ' +
  'cancel builds, or raise the limits that hold them back.';

/** Why new and cascaded versions create no builds. */
export function whyQueuePaused(queued: number): Reason[] {
  if (queued <= AUTOMATIC_PAUSE_ABOVE) return [];
  return [{ code: 'QueueFull', message: QUEUE_PAUSED_MESSAGE, data: { have: queued } }];
}

/** Why requests of people create no builds. */
export function whyQueueFull(queued: number): Reason[] {
  if (queued < MAX_QUEUED_BUILDS) return [];
  const message =
    `${formatCount(queued)} builds of the pipeline have not started, and at most ${formatCount(MAX_QUEUED_BUILDS)} ` +
    'may wait. Cancel some, or try again when fewer wait.';
  return [{ code: 'QueueFull', message, data: { have: queued, want: MAX_QUEUED_BUILDS } }];
}
