import type { Schedule } from '#domain/pipeline/pipeline.ts';
import { checksStalled, type CronNext } from '#domain/scheduling/next-check.ts';
import type { ResourceName } from '#flows/names.ts';
import type { CheckView } from './ports.ts';

/**
 * When a check should have begun. One that is tried and given back again and again is due since the first
 * time.
 */
export interface DueCheckTimer {
  schedule?: Schedule;
  dueSince?: Date;
}

export interface CheckViewStore {
  storedCheck(name: ResourceName): Promise<(Omit<CheckView, 'stalled'> & DueCheckTimer) | undefined>;
  /** No request: what a calendar says. */
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
