import type { Schedule } from '#domain/pipeline/pipeline.ts';
import { checksStalled, type CronNext } from '#domain/scheduling/next-check.ts';
import type { ResourceName } from '#flows/names.ts';
import type { CheckView } from './ports.ts';

/** `dueSince`: when the check should have started, also if it was tried and released since. */
export interface DueCheckTimer {
  schedule?: Schedule;
  dueSince?: Date;
}

export interface CheckViewStore {
  storedCheck(name: ResourceName): Promise<(Omit<CheckView, 'stalled'> & DueCheckTimer) | undefined>;
  /** Evaluates cron expressions. No request. */
  cronNext: CronNext;
}

export async function showCheck(
  name: ResourceName,
  store: CheckViewStore,
  now: Date,
): Promise<CheckView | undefined> {
  const found = await store.storedCheck(name);
  if (found === undefined) return undefined;
  const { schedule: _, dueSince: __, ...check } = found;
  return { ...check, stalled: isStalled(found, now, store.cronNext) };
}

export function isStalled({ schedule, dueSince }: DueCheckTimer, now: Date, cronNext: CronNext): boolean {
  if (schedule === undefined || dueSince === undefined) return false;
  return checksStalled({ schedule, next: dueSince.getTime(), now: now.getTime() }, cronNext);
}
