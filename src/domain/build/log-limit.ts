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
 * Most logs have only ASCII characters. Testing for others takes a fraction of the time of counting bytes.
 */
const NOT_ASCII = /[\u0080-\uffff]/;

/** Number of bytes of the text in UTF-8. */
export function utf8Length(text: string): number {
  if (!NOT_ASCII.test(text)) return text.length;
  let length = text.length;
  for (let index = 0; index < text.length; index += 1) length += extraBytes(text.charCodeAt(index));
  return length;
}

/**
 * How many bytes of UTF-8 a UTF-16 code unit needs besides the first one. Each half of a surrogate pair
 * counts as two of the four bytes that the pair needs.
 */
function extraBytes(unit: number): number {
  if (unit < 0x80) return 0;
  return unit < 0x8_00 || (unit >= 0xd8_00 && unit < 0xe0_00) ? 1 : 2;
}

/** The longest start of the text that has at most this number of bytes in UTF-8. */
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
 * The limit for the log of one build: the smaller of the limits that the installation and the team set. If
 * the installation sets none, a team can set at most the default. Undefined: neither sets a limit.
 */
export function smallerLimit(installation: number | undefined, team: number | undefined): number | undefined {
  return team === undefined ? installation : Math.min(installation ?? DEFAULT_LOG_BYTES, team);
}
