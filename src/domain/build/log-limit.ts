import { firstBytes, utf8Length } from '#domain/utf8-length.ts';

/**
 * Limit for the log of one attempt of a build, if the installation does not set another one. The agent and
 * the gateway both enforce the limit.
 */
export const DEFAULT_LOG_BYTES = 64 * 1024 * 1024;
export const LOG_CUT_LINE = '[truncated: the log of this build is over its limit]';

/** Every log row uses at least this much of the limit. */
const MIN_ROW_BYTES = 64;

/**
 * Returns the part of the text that fits into the limit, and how many bytes are used after it. Pass `used`
 * back in with the next text; it starts at 0. The first text that exceeds the limit ends with `LOG_CUT_LINE`.
 * After this line, `used` is above the limit, and all further text is dropped.
 */
export function cutLog(
  text: string,
  used: number,
  limit = DEFAULT_LOG_BYTES,
): { text: string; used: number } {
  if (text === '' || used > limit) return { text: '', used };
  const cost = Math.max(MIN_ROW_BYTES, utf8Length(text));
  if (used + cost <= limit) return { text, used: used + cost };
  return { text: `${firstBytes(text, limit - used)}\n${LOG_CUT_LINE}\n`, used: limit + 1 };
}

/**
 * The limit for the log of one build: the smaller of the limits that the installation and the team set. If
 * the installation sets none, a team can set at most the default. Undefined: neither sets a limit.
 */
export function smallerLimit(installation: number | undefined, team: number | undefined): number | undefined {
  return team === undefined ? installation : Math.min(installation ?? DEFAULT_LOG_BYTES, team);
}
