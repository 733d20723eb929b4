import { Cron } from 'croner';
import type { CronNext } from '#domain/scheduling/next-check.ts';

/** Evaluates a cron expression as the CronJobs that Millrace creates do: in UTC unless it has a time zone. */
export const cronNext: CronNext = ({ expression, timeZone = 'UTC' }, after) => {
  const cron = new Cron(expression.trim() === '@midnight' ? '@daily' : expression, {
    timezone: timeZone,
    paused: true,
  });
  return cron.nextRun(new Date(after))?.getTime();
};
