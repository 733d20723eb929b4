import { defined } from '#defined';
import { parseGoDuration, suggestDuration } from '#domain/language/duration.ts';
import { explainBadCron } from './cron-expression.ts';
import type { Schedule } from './pipeline.ts';

const MINIMUM_SECONDS = 10;
const EVERY = '@every ';

export type ScheduleAnswer =
  | { schedule: Schedule }
  | { code: 'invalid-schedule' | 'schedule-too-short'; reason: string; help?: string };

/**
 * The name of the time zone that Kubernetes knows. Undefined if no time zone has this name. An offset such as
 * `+01:00` is not a name, because CronJobs accept none.
 */
export function canonicalTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z]/.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/**
 * Reads `check_interval` or `webhook_interval`: `@every <Go duration>` of at least 10 seconds, or a cron
 * expression as Kubernetes' CronJobs take it. Fractions of a second are dropped.
 */
export function parseSchedule(text: string): ScheduleAnswer {
  if (!text.startsWith(EVERY)) {
    const reason = explainBadCron(text);
    if (reason === undefined) return { schedule: { kind: 'cron', expression: text } };
    const help = parseGoDuration(text) === undefined ? {} : { help: `Write "${EVERY}${text}".` };
    return { code: 'invalid-schedule', reason, ...help };
  }
  const duration = text.slice(EVERY.length).trim();
  const seconds = parseGoDuration(duration);
  if (seconds === undefined) {
    const reason = `"${text.slice(EVERY.length)}" is not a duration such as 30s or 1h30m`;
    const help = suggestDuration(duration)?.replace('"', `"${EVERY}`);
    return { code: 'invalid-schedule', reason, ...defined({ help }) };
  }
  if (seconds < MINIMUM_SECONDS)
    return { code: 'schedule-too-short', reason: 'the shortest interval is 10 seconds' };
  return { schedule: { kind: 'every', seconds: Math.floor(seconds) } };
}
