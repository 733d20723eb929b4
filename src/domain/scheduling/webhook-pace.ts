import type { Resource, Schedule } from '#domain/pipeline/pipeline.ts';

/** A check that has ended well. */
export interface CheckEnded {
  cause: 'schedule' | 'manual' | 'webhook';
  /** New versions. */
  found: number;
}

/**
 * Whether webhooks of a resource are known to work: one has brought a new version, and since then no
 * scheduled check has found one that a webhook had not told of.
 */
export function webhookWorks(worked: boolean, { cause, found }: CheckEnded): boolean {
  if (found === 0 || cause === 'manual') return worked;
  return cause === 'webhook';
}

/**
 * The schedule that a resource is checked by now: where webhooks work, the rarer one that only catches what
 * they miss.
 */
export function scheduleNow(
  { schedule, webhookSchedule }: Pick<Resource, 'schedule' | 'webhookSchedule'>,
  worked: boolean,
): Schedule | undefined {
  return worked ? (webhookSchedule ?? schedule) : schedule;
}
