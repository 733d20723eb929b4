import { Cron } from 'croner';
import type { CronNext } from '#domain/scheduling/next-check.ts';

/** Expressions are in UTC, as in the CronJobs that we create. */
export const cronNext: CronNext = (expression, after) => {
  const cron = new Cron(expression.trim() === '@midnight' ? '@daily' : expression, {
    timezone: 'UTC',
    paused: true,
  });
  return cron.nextRun(new Date(after))?.getTime();
};
