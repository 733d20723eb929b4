import { latestDue } from '#domain/scheduling/next-check.ts';
import type { CheckStore } from './ports.ts';

interface Ports {
  checks: Pick<CheckStore, 'timersAhead' | 'moveTimers' | 'cronNext'>;
  now: () => Date;
}

/**
 * Corrects checks that are due later than their schedule allows, because the clock of the process that set
 * their due time was ahead. Sets them due one interval from now, or at the next time of their cron
 * expression. Returns how many were corrected.
 */
export async function correctTimers({ checks, now }: Ports): Promise<number> {
  const at = now().getTime();
  const wrong = (await checks.timersAhead(now())).flatMap(({ scope, schedule, failures, next }) => {
    const latest = latestDue({ schedule, failures, at }, checks.cronNext);
    if (latest === undefined || next <= latest) return [];
    const due = schedule.kind === 'cron' ? checks.cronNext(schedule, at) : at + schedule.seconds * 1000;
    return { scope, from: next, next: due ?? latest };
  });
  if (wrong.length > 0) await checks.moveTimers(wrong);
  return wrong.length;
}
