/**
 * How full the log storage of a team is. `near`: at least 80 % of the limit. `full`: over the limit, so the
 * oldest logs are removed.
 */
export type LogFill = 'fine' | 'near' | 'full';

const NEAR_SHARE = 0.8;

/** `bytes`: the size of the team's stored logs. `limit`: in bytes; undefined: no limit. */
export function judgeLogs(bytes: number, limit: number | undefined): LogFill {
  if (limit === undefined || bytes < limit * NEAR_SHARE) return 'fine';
  return bytes > limit ? 'full' : 'near';
}
