import { MAX_BUILDS_PER_DECISION } from './decision.ts';
import type { Reason } from './reasons.ts';

/** Builds of one pipeline that have not started, however they came to be. */
export const MAX_QUEUED_BUILDS = 2000;
/** While more wait, new versions make no builds: one whole decision always fits below the limit. */
export const AUTOMATIC_PAUSE_ABOVE = MAX_QUEUED_BUILDS - MAX_BUILDS_PER_DECISION;

const inWords = (count: number): string => count.toLocaleString('en');

export const QUEUE_PAUSED_MESSAGE =
  `More than ${inWords(AUTOMATIC_PAUSE_ABOVE)} builds of the pipeline have not started, so new versions make no more builds. ` +
  'It goes on by itself when fewer wait: cancel builds, or raise what limits them.';

/** Why no build is made by itself. */
export function whyQueuePaused(queued: number): Reason[] {
  if (queued <= AUTOMATIC_PAUSE_ABOVE) return [];
  return [{ code: 'QueueFull', message: QUEUE_PAUSED_MESSAGE, data: { have: queued } }];
}

/** Why nobody gets a build that they ask for. */
export function whyQueueFull(queued: number): Reason[] {
  if (queued < MAX_QUEUED_BUILDS) return [];
  const message = `${inWords(queued)} builds of the pipeline have not started, and at most ${inWords(MAX_QUEUED_BUILDS)} may wait. Cancel some, or try again when fewer do.`;
  return [{ code: 'QueueFull', message, data: { have: queued, want: MAX_QUEUED_BUILDS } }];
}
