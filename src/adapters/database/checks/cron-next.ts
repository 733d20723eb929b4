import { Cron } from 'croner';
import type { CronNext } from '#domain/scheduling/next-check.ts';

/** Kubernetes reads expressions without a zone as UTC when the CronJob says so; ours do. */
export const cronNext: CronNext = (expression, after) => {
  const cron = new Cron(expression.trim() === '@midnight' ? '@daily' : expression, {
    timezone: 'UTC',
    paused: true,
  });
  return cron.nextRun(new Date(after))?.getTime();
};
