/** ESC begins an escape sequence of a terminal; BEL may end one. */
const [ESC, BEL] = ['\u001b', '\u0007'];

/**
 * Colours, cursors, titles, links and everything less common. `stripVTControlCharacters` of `node:util`
 * leaves the content of device control strings, such as pictures. The command line has to distinguish colours
 * from the rest.
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

/** The page shows no more of one line; the plain text has all of it. */
export const MAX_LINE_CHARACTERS = 16 * 1024;

/**
 * A log as text for a page without script: no colours, and of lines that a program wrote over only the last.
 */
export function plainLog(text: string): string {
  return text
    .replaceAll(SEQUENCES, '')
    .replaceAll('\r\n', '\n')
    .split('\n')
    .map(shownPart)
    .join('\n')
    .replaceAll(/(?![\t\n])\p{Cc}/gu, '');
}

function shownPart(line: string): string {
  const last = line.slice(line.lastIndexOf('\r', line.length - 2) + 1);
  if (last.length <= MAX_LINE_CHARACTERS) return last;
  return `${last.slice(0, MAX_LINE_CHARACTERS)} … ${last.length - MAX_LINE_CHARACTERS} more characters in this line`;
}
