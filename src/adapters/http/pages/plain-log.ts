/** ESC begins an escape sequence of a terminal; BEL may end one. */
const [ESC, BEL] = ['\u001b', '\u0007'];

/**
 * Matches the escape sequences of terminals, such as colours, cursor movements, titles and links. It is used
 * instead of `stripVTControlCharacters` of `node:util`, which leaves the content of device control strings,
 * such as pictures. Exported for the command line, which distinguishes colours from the other sequences.
 */
export const SEQUENCES = new RegExp(
  [
    String.raw`${ESC}\[[0-?]*[ -/]*[@-~]`,
    String.raw`${ESC}\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\)`,
    String.raw`${ESC}[PX^_][^${ESC}]*${ESC}\\`,
    String.raw`${ESC}[ -/]*[0-~]`,
  ].join('|'),
  'g',
);

/** The page shows at most this much of one line. The plain text of the log has the whole line. */
export const MAX_LINE_CHARACTERS = 16 * 1024;

/**
 * Returns a log as text for a page without script: without colours, and with only the last text of a line
 * that a program has overwritten.
 */
export function plainLog(text: string): string {
  return text
    .replaceAll(SEQUENCES, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(visibleText)
    .join('\n')
    .replaceAll(/(?![\t\n])\p{Cc}/gu, '');
}

function visibleText(line: string): string {
  const last = line.slice(line.lastIndexOf('\r', line.length - 2) + 1);
  if (last.length <= MAX_LINE_CHARACTERS) return last;
  return `${last.slice(0, MAX_LINE_CHARACTERS)} … ${last.length - MAX_LINE_CHARACTERS} more characters in this line`;
}
