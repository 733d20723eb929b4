/** What begins an escape sequence of a terminal, and what may end one. */
const [ESC, BEL] = ['\u001b', '\u0007'];

/** Colours and cursors, titles and links, and all that is less common. */
export const SEQUENCES = new RegExp(
  [
    String.raw`${ESC}\[[0-?]*[ -/]*[@-~]`,
    String.raw`${ESC}\][^${BEL}${ESC}]*(?:${BEL}|${ESC}\\)`,
    String.raw`${ESC}[PX^_][^${ESC}]*${ESC}\\`,
    String.raw`${ESC}[ -/]*[0-~]`,
  ].join('|'),
  'g',
);

/** A log as text for a page without script: no colours, and of lines that a program wrote over only the last. */
export function plainLog(text: string): string {
  return text
    .replaceAll(SEQUENCES, '')
    .replaceAll('\r\n', '\n')
    .replaceAll(/[^\n]*\r(?=[^\n])/g, '')
    .replaceAll(/(?![\t\n])\p{Cc}/gu, '');
}
