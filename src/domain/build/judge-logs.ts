/** How full the log storage of a team is. `near`: 80 % or more. `full`: its oldest logs are removed. */
export type LogFill = 'fine' | 'near' | 'full';

const NEAR_SHARE = 0.8;

/** `limit` undefined: no limit. */
export function judgeLogs(bytes: number, limit: number | undefined): LogFill {
  if (limit === undefined || bytes < limit * NEAR_SHARE) return 'fine';
  return bytes > limit ? 'full' : 'near';
}
