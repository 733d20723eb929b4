/**
 * Limit for the log of one attempt of a build, unless the installation sets another one. Both the agent and
 * the gateway enforce the limit.
 */
export const DEFAULT_LOG_BYTES = 64 * 1024 * 1024;
export const LOG_CUT_LINE = '[truncated: the log of this build is over its limit]';

/** Every log row uses at least this much of the limit. */
const MIN_ROW_BYTES = 64;

/**
 * The part of the text within the limit. The first text that exceeds the limit ends with `LOG_CUT_LINE`.
 * `used` starts at 0, and is above the limit after that line.
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

/** Most logs are ASCII only. This test takes a fraction of the time of counting their bytes. */
const NOT_ASCII = /[\u0080-\uffff]/;

export function utf8Length(text: string): number {
  if (!NOT_ASCII.test(text)) return text.length;
  let length = text.length;
  for (let index = 0; index < text.length; index += 1) length += extraBytes(text.charCodeAt(index));
  return length;
}

/**
 * Bytes of a UTF-16 code unit beyond the first. Each half of a surrogate pair counts two of the pair's four
 * bytes.
 */
function extraBytes(unit: number): number {
  if (unit < 0x80) return 0;
  return unit < 0x8_00 || (unit >= 0xd8_00 && unit < 0xe0_00) ? 1 : 2;
}

function firstBytes(text: string, bytes: number): string {
  let [index, length] = [0, 0];
  while (index < text.length) {
    length += 1 + extraBytes(text.charCodeAt(index));
    if (length > bytes) break;
    index += 1;
  }
  const cut = text.slice(0, index);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

/**
 * The limit of one build's log: the smaller one of the limits of the installation and the team. If the
 * installation sets none, the default bounds the limit of the team.
 */
export function smallerLimit(installation: number | undefined, team: number | undefined): number | undefined {
  return team === undefined ? installation : Math.min(installation ?? DEFAULT_LOG_BYTES, team);
}
