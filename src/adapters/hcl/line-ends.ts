const CR = 0x0d;
const LF = 0x0a;

/**
 * The text with LF where it has CRLF: a script in a heredoc would otherwise carry carriage returns into a
 * shell, which takes them for part of each line's last word. Lines and columns stay what they were.
 */
export function withLineFeeds(source: string | Uint8Array): string | Uint8Array {
  if (typeof source === 'string') return source.replaceAll('\r\n', '\n');
  if (!source.includes(CR)) return source;
  return source.filter((byte, at) => byte !== CR || source[at + 1] !== LF);
}
