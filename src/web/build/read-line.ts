import { AnsiParser, type Look } from './terminal.ts';

/** The page shows only this much of a line. The plain text has the whole line. */
export const MAX_SHOWN_CHARACTERS = 16 * 1024;
/**
 * How many of the last hidden characters of a line are kept, because style sequences in them may end a style
 * of the shown part. When text is replaced, at most this many characters of its style sequences are kept.
 */
const MAX_STYLE_CHARACTERS = 256;
const TAB_CELLS = 8;
const ESC = '\u001b';
const STYLES = new RegExp(String.raw`${ESC}\[[\d;:]{0,200}m`, 'g');
const SIMPLE = /^[\u0020-\u007e]*$/;

/** A line that is still being written. */
export interface OpenLine {
  text: string;
  /** How many characters were cut off. */
  hidden: number;
  /** The last of the hidden characters. */
  tail: string;
  /** The program has returned to the beginning of the line. Text that follows replaces the line. */
  returned: boolean;
}

export const NO_LINE: OpenLine = { text: '', hidden: 0, tail: '', returned: false };

/**
 * Adds text without line ends to a line. After a carriage return, new text replaces the line, so a progress
 * bar takes no more memory than one line.
 */
export function continueLine(line: OpenLine, added: string): OpenLine {
  let end = added.length;
  while (added[end - 1] === '\r') end -= 1;
  if (end === 0) return added === '' ? line : { ...line, returned: true };
  const back = added.lastIndexOf('\r', end - 1);
  const isReplaced = back !== -1 || line.returned;
  const before = isReplaced ? withStyles(line, added.slice(0, Math.max(0, back))) : line;
  return { ...addText(before, added.slice(back + 1, end)), returned: end < added.length };
}

/** The line as it is stored, without its line end. */
export function completeLine({ text, hidden, tail }: OpenLine): string {
  return hidden === 0 ? text : `${text} … ${hidden} more characters in the plain text${stylesOf(tail)}`;
}

/** A line that contains only the styles of the text that it replaces. */
function withStyles({ text, tail }: OpenLine, more: string): OpenLine {
  return { ...NO_LINE, text: stylesOf(text + tail + more) };
}

function addText({ text, hidden, tail }: OpenLine, added: string): Omit<OpenLine, 'returned'> {
  const room = MAX_SHOWN_CHARACTERS - text.length;
  if (added.length <= room) return { text: text + added, hidden, tail };
  return {
    text: text + added.slice(0, room),
    hidden: hidden + added.length - room,
    tail: (tail + added.slice(room)).slice(-MAX_STYLE_CHARACTERS),
  };
}

function stylesOf(text: string): string {
  const styles = text.match(STYLES) ?? [];
  let joined = '';
  for (const style of styles.toReversed()) {
    if (joined.length + style.length > MAX_STYLE_CHARACTERS) break;
    joined = style + joined;
  }
  return joined;
}

/**
 * Reads a line that begins with this style. Returns the text without sequences, and the style after the line.
 */
export function readLine(line: string, look: Look): { text: string; look: Look } {
  if (SIMPLE.test(line)) return { text: line, look };
  const parser = new AnsiParser(look);
  const text = parser
    .read(line)
    .map((part) => (typeof part === 'string' ? '' : part.text))
    .join('');
  return { text, look: parser.look };
}

/**
 * How many columns a text takes on the screen, at most. A character outside of Latin-1 counts as two columns:
 * it comes from another font, in which most characters take one and a half columns.
 */
export function cellsOf(text: string): number {
  if (SIMPLE.test(text)) return text.length;
  let cells = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 9) cells += TAB_CELLS - (cells % TAB_CELLS);
    else cells += code < 256 ? 1 : 2;
  }
  return cells;
}
