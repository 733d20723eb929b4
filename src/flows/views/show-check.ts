import type { Schedule } from '#domain/pipeline/pipeline.ts';
import { checksStalled, type CronNext } from '#domain/scheduling/next-check.ts';
import type { ResourceName } from '#flows/names.ts';
import type { CheckView } from './ports.ts';

export interface DueCheckTimer {
  schedule?: Schedule;
  /** When the check should have started. A run that ended because it got no Pod does not change this time. */
  dueSince?: Date;
}

export interface CheckViewStore {
  storedCheck(name: ResourceName): Promise<(Omit<CheckView, 'stalled'> & DueCheckTimer) | undefined>;
  /** Evaluates cron expressions in this process. */
  cronNext: CronNext;
}

export async function showCheck(
  name: ResourceName,
  store: CheckViewStore,
  now: Date,
): Promise<CheckView | undefined> {
  const stored = await store.storedCheck(name);
  if (stored === undefined) return undefined;
  const { schedule: _, dueSince: __, ...check } = stored;
  return { ...check, stalled: isStalled(stored, now, store.cronNext) };
}

export function isStalled({ schedule, dueSince }: DueCheckTimer, now: Date, cronNext: CronNext): boolean {
  if (schedule === undefined || dueSince === undefined) return false;
  return checksStalled({ schedule, next: dueSince.getTime(), now: now.getTime() }, cronNext);
}
