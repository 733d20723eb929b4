/**
 * Bytes of log that one attempt of a build may have, unless the installation sets another limit. The agent
 * keeps to it; the gateway does not rely on that.
 */
export const LOG_LIMIT = 64 * 1024 * 1024;
export const LOG_CUT = '[truncated: the log of this build is over its limit]';

/** A row of the log costs that much, however little is in it. */
const LEAST_COST = 64;

/**
 * As much of the text as may still be kept; the first time that something may not, it ends with a line that
 * says so. `used` starts with 0 and is over the limit once that line was said.
 */
export function cutLog(text: string, used: number, limit = LOG_LIMIT): { text: string; used: number } {
  if (text === '' || used > limit) return { text: '', used };
  const cost = Math.max(LEAST_COST, utf8Length(text));
  if (used + cost <= limit) return { text, used: used + cost };
  return { text: `${firstBytes(text, limit - used)}\n${LOG_CUT}\n`, used: limit + 1 };
}

function utf8Length(text: string): number {
  let length = text.length;
  for (let index = 0; index < text.length; index += 1) length += extraBytes(text.charCodeAt(index));
  return length;
}

/** Half of a surrogate pair is two of the pair's four bytes. */
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
