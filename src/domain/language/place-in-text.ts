import { advance } from './positions.ts';
import type { Range } from './syntax.ts';

/** The source text of a string, in quotes or as a heredoc, and where it starts. */
export interface Spelling {
  text: string;
  start: Range['start'];
}

/** Where a character of a value is in the source text. */
interface Place {
  range: Range;
  /** A template produces a part of the value, so the source text does not show the whole value. */
  computed: boolean;
}

/**
 * A part of the source text, as offsets, and what it adds to the value. Without `value`, the part is a
 * template.
 */
interface Piece {
  from: number;
  to: number;
  value?: string;
}

/**
 * Where the source text has the character at `index` of the value. `index` can be the end of the value. If a
 * template produces the character, the place is the template, or the range of all templates if there are
 * several. Undefined: the source text has a directive `%{…}`, is not a string, or does not result in the
 * value.
 */
export function placeInText(spelling: Spelling, value: string, index: number): Place | undefined {
  for (const pieces of readings(spelling.text)) {
    const stretch = pieces && locate(pieces, value, index);
    if (!stretch) continue;
    const start = advance(spelling.start, spelling.text.slice(0, stretch.from));
    const end = advance(start, spelling.text.slice(stretch.from, stretch.to));
    return { range: { start, end }, computed: pieces.some(isTemplate) };
  }
  return undefined;
}

const isTemplate = (piece: Piece): boolean => piece.value === undefined;

type Stretch = Omit<Piece, 'value'>;

/**
 * The part of the source text that produces the character. Undefined: the pieces do not result in this value.
 */
function locate(pieces: readonly Piece[], value: string, index: number): Stretch | undefined {
  const first = pieces.findIndex(isTemplate);
  if (first < 0) return valueOf(pieces) === value ? pieceAt(pieces, index) : undefined;
  const last = pieces.findLastIndex(isTemplate);
  const [head, tail] = [pieces.slice(0, first), pieces.slice(last + 1)];
  const [headValue, tailValue] = [valueOf(head), valueOf(tail)];
  if (!value.startsWith(headValue) || !value.slice(headValue.length).endsWith(tailValue)) return undefined;
  if (index < headValue.length) return pieceAt(head, index);
  const indexInTail = index - (value.length - tailValue.length);
  if (indexInTail >= 0 && tailValue !== '') return pieceAt(tail, indexInTail);
  return wholeStretch(pieces.slice(first, last + 1));
}

function wholeStretch(pieces: readonly Piece[]): Stretch {
  return { from: pieces.at(0)?.from ?? 0, to: pieces.at(-1)?.to ?? 0 };
}

const valueOf = (pieces: readonly Piece[]): string => pieces.map(({ value = '' }) => value).join('');

function pieceAt(pieces: readonly Piece[], index: number): Stretch | undefined {
  let valueEnd = 0;
  for (const { from, to, value = '' } of pieces) {
    valueEnd += value.length;
    if (index < valueEnd) return { from, to };
  }
  const end = pieces.at(-1)?.to;
  // The end of the value is at the character after the last piece.
  return end === undefined ? undefined : { from: end, to: end + 1 };
}

/**
 * The ways to split the source text into pieces. There are several for a `<<-` heredoc: HCL removes an
 * indentation from its lines, and only the value shows how much.
 */
function* readings(text: string): Generator<Piece[] | undefined> {
  if (text.startsWith('"')) yield scan(text.slice(0, -1), 1, readQuoted);
  const [opening, indented] = /^<<(-?).*\n/.exec(text) ?? [];
  if (opening === undefined) return;
  const content = text.slice(0, text.trimEnd().lastIndexOf('\n') + 1);
  const lines = content.slice(opening.length).split('\n').slice(0, -1);
  for (const indentation of indented === '-' ? indentationsOf(lines) : [0])
    yield scan(content, opening.length, (source, at) => readHeredoc(source, at, indentation));
}

/**
 * The indentations that HCL may have removed, as numbers of characters. HCL ignores some blank lines when it
 * measures the indentation, but not all, so the indentation with and without blank lines is tried.
 */
function indentationsOf(lines: readonly string[]): Set<number> {
  const written = lines.filter((line) => line.trim() !== '');
  return new Set([leastIndentation(written), leastIndentation(lines), 0].filter(Number.isFinite));
}

const leastIndentation = (lines: readonly string[]): number =>
  lines.reduce((least, line) => Math.min(least, line.search(/\S|$/)), Infinity);

/** Reads one piece that is not a template. */
type ReadPiece = (text: string, at: number) => Piece;

/**
 * Splits the source text from `start` on into pieces. Undefined: it has a directive, which can omit or repeat
 * the text inside the directive.
 */
function scan(text: string, start: number, read: ReadPiece): Piece[] | undefined {
  const pieces: Piece[] = [{ from: start, to: start, value: '' }];
  for (let at = start; at < text.length; at = pieces.at(-1)?.to ?? text.length) {
    if (text.startsWith('%{', at)) return undefined;
    const [doubled] = /^(?:\$\$|%%)(?=\{)/.exec(text.slice(at, at + 3)) ?? [];
    if (doubled !== undefined) pieces.push({ from: at, to: at + 3, value: text.slice(at + 1, at + 3) });
    else if (text.startsWith('${', at)) pieces.push({ from: at, to: endOfTemplate(text, at + 1) });
    else pieces.push(read(text, at));
  }
  return pieces;
}

const ESCAPE = /\\(?:([nrt"\\])|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y;
const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function readQuoted(text: string, from: number): Piece {
  ESCAPE.lastIndex = from;
  const [escape, letter, short, long] = ESCAPE.exec(text) ?? [];
  if (escape === undefined) return letterAt(text, from);
  const value =
    letter === undefined
      ? String.fromCodePoint(Math.min(Number.parseInt(short ?? long ?? '0', 16), 0x10ffff))
      : (ESCAPED[letter] ?? letter);
  return { from, to: from + escape.length, value };
}

/** Reads the removed indentation at the start of a line, or one character. */
function readHeredoc(text: string, from: number, indentation: number): Piece {
  const [blank = ''] = /^[ \t]*/.exec(text.slice(from, from + indentation)) ?? [];
  const isMargin = text[from - 1] === '\n' && blank !== '';
  return isMargin ? { from, to: from + blank.length, value: '' } : letterAt(text, from);
}

function letterAt(text: string, from: number): Piece {
  const [value = ''] = text.slice(from, from + 2);
  return { from, to: from + value.length, value };
}

/** The index after the brace that closes the brace at `from`. */
function endOfTemplate(text: string, from: number): number {
  let braces = 0;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') at = endOfQuotes(text, at);
    else if (sign === '{') braces += 1;
    else if (sign === '}') braces -= 1;
    if (braces === 0) return at + 1;
  }
  return text.length;
}

/** The index of the quote that closes the quote at `from`. */
function endOfQuotes(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '"') return at;
    if (sign === '\\') at += 1;
    else if (text.startsWith('$${', at) || text.startsWith('%%{', at)) at += 2;
    else if (text.startsWith('${', at) || text.startsWith('%{', at)) at = endOfTemplate(text, at + 1) - 1;
  }
  return text.length;
}
