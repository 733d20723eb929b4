import type { Resource, Schedule } from '#domain/pipeline/pipeline.ts';

/** A check that succeeded. */
export interface CheckEnded {
  cause: 'schedule' | 'manual' | 'webhook';
  /** Number of new versions that the check found. */
  found: number;
}

/**
 * Whether the webhooks of a resource work: a check after a webhook found a new version, and since then no
 * scheduled check found a version that the webhooks had missed.
 */
export function webhookWorks(worked: boolean, { cause, found }: CheckEnded): boolean {
  if (found === 0 || cause === 'manual') return worked;
  return cause === 'webhook';
}

/**
 * The schedule in effect. While webhooks work, it is `webhookSchedule`: checks are rarer, and only find what
 * the webhooks miss.
 */
export function scheduleNow(
  { schedule, webhookSchedule }: Pick<Resource, 'schedule' | 'webhookSchedule'>,
  worked: boolean,
): Schedule | undefined {
  return worked ? (webhookSchedule ?? schedule) : schedule;
}
