const CR = 0x0d;
const LF = 0x0a;

/**
 * Converts CRLF to LF. Otherwise scripts in heredocs would have carriage returns, which a shell takes as part
 * of the last word of a line. The lines and columns of all other characters stay the same.
 */
export function withLineFeeds(source: string | Uint8Array): string | Uint8Array {
  if (typeof source === 'string') return source.replaceAll('\r\n', '\n');
  if (!source.includes(CR)) return source;
  return source.filter((byte, index) => byte !== CR || source[index + 1] !== LF);
}
