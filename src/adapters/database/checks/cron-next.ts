import { Cron } from 'croner';
import type { CronNext } from '#domain/scheduling/next-check.ts';

/** Expressions are in UTC unless they have a time zone, as in the CronJobs that Millrace creates. */
export const cronNext: CronNext = ({ expression, timeZone = 'UTC' }, after) => {
  const cron = new Cron(expression.trim() === '@midnight' ? '@daily' : expression, {
    timezone: timeZone,
    paused: true,
  });
  return cron.nextRun(new Date(after))?.getTime();
};
