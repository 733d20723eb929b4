/** How full the logs of a team are. `near`: from 80 % on; `full`: its oldest logs are removed. */
export type LogFill = 'fine' | 'near' | 'full';

const NEAR = 0.8;

/** `limit`: absent means none. */
export function judgeLogs(bytes: number, limit: number | undefined): LogFill {
  if (limit === undefined || bytes < limit * NEAR) return 'fine';
  return bytes > limit ? 'full' : 'near';
}
