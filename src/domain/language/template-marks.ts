/** The start of an HCL template: `${` or `%{` inside quotes or a heredoc. */
export interface TemplateMark {
  sign: '$' | '%';
  /** Offset in UTF-16 units. */
  at: number;
}

/**
 * What the scanner is in. `code`: outside of strings, or in a template. `braces`: how many braces are open in
 * this code. `marker`: the word that ends the heredoc.
 */
type Mode = { kind: 'code'; braces: number } | { kind: 'quoted' } | { kind: 'heredoc'; marker: string };

const CODE_PLAIN = /[^"#/<{}]+/y;
const HEREDOC_START = /<<-?([\p{L}_][\p{L}\p{N}_-]{0,200})\n/uy;
const QUOTED_PLAIN = /[^"\\\n$%]+/y;
const HEREDOC_PLAIN = /[^\n$%]+/y;

/**
 * Calls `isForeign` with each template mark of the text, in order. If it returns true, the mark belongs to
 * another language, and plain text follows it. Otherwise HCL code follows. HCL's own lexer cannot find such
 * marks, because a `#` after the mark begins a comment that hides the closing brace.
 */
export function readTemplateMarks(text: string, isForeign: (mark: TemplateMark) => boolean): void {
  const modes: Mode[] = [{ kind: 'code', braces: 0 }];
  const top = (): Mode => modes.at(-1) ?? { kind: 'code', braces: 0 };
  for (let at = 0; at < text.length;) {
    const mode = top();
    at =
      mode.kind === 'code' ? readCode(text, at, mode, modes) : readText(text, at, mode, { modes, isForeign });
  }
}

function readCode(text: string, at: number, mode: Mode & { kind: 'code' }, modes: Mode[]): number {
  const end = matchEnd(CODE_PLAIN, text, at);
  if (end !== undefined) return end;
  const sign = text[at];
  if (sign === '#' || sign === '/') return readComment(text, at);
  if (sign === '<') return readHeredocStart(text, at, modes);
  if (sign === '"') modes.push({ kind: 'quoted' });
  else if (sign === '{') mode.braces += 1;
  else if (mode.braces > 0) mode.braces -= 1;
  else if (modes.length > 1) modes.pop();
  return at + 1;
}

/** The offset after the comment at `at`, or after the character at `at` if no comment begins there. */
function readComment(text: string, at: number): number {
  if (text[at] === '#' || text[at + 1] === '/') return endOf(text, '\n', at);
  return text[at + 1] === '*' ? endOf(text, '*/', at + 2) : at + 1;
}

function readHeredocStart(text: string, at: number, modes: Mode[]): number {
  HEREDOC_START.lastIndex = at;
  const [whole, marker] = HEREDOC_START.exec(text) ?? [];
  if (whole === undefined || marker === undefined) return at + 1;
  modes.push({ kind: 'heredoc', marker });
  return readLineStart(text, at + whole.length, marker, modes);
}

/**
 * Reads the start of a line in a heredoc. If the line ends the heredoc, returns the offset after the marker.
 * Otherwise returns `at`.
 */
function readLineStart(text: string, at: number, marker: string, modes: Mode[]): number {
  let start = at;
  while (text[start] === ' ' || text[start] === '\t') start += 1;
  if (!text.startsWith(marker, start)) return at;
  let end = start + marker.length;
  while (text[end] === ' ' || text[end] === '\t') end += 1;
  if (end < text.length && text[end] !== '\n') return at;
  modes.pop();
  return end;
}

interface Reading {
  modes: Mode[];
  isForeign: (mark: TemplateMark) => boolean;
}

function readText(text: string, at: number, mode: Exclude<Mode, { kind: 'code' }>, reading: Reading): number {
  const { modes } = reading;
  const end = matchEnd(mode.kind === 'quoted' ? QUOTED_PLAIN : HEREDOC_PLAIN, text, at);
  if (end !== undefined) return end;
  const sign = text[at];
  if (sign === '$' || sign === '%') return readSign(text, at, sign, reading);
  if (mode.kind === 'heredoc') return readLineStart(text, at + 1, mode.marker, modes);
  if (sign === '\\') return at + 2;
  // The string ends here, at its quote or at the end of the line. HCL reports a string that ends at the end
  // of the line.
  modes.pop();
  return at + 1;
}

/** Reads a `$` or `%` in a string. A doubled sign before a brace is plain text, not a template. */
function readSign(text: string, at: number, sign: '$' | '%', { modes, isForeign }: Reading): number {
  if (text[at + 1] === sign && text[at + 2] === '{') return at + 3;
  if (text[at + 1] !== '{') return at + 1;
  if (!isForeign({ sign, at })) modes.push({ kind: 'code', braces: 0 });
  return at + 2;
}

/** The offset after the match of the pattern at `at`. Undefined: the pattern does not match there. */
function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/**
 * The offset after the next `sign`. If `sign` is a line break: the offset of the next line break. The end of
 * the text, if there is none.
 */
function endOf(text: string, sign: string, from: number): number {
  const at = text.indexOf(sign, from);
  return at < 0 ? text.length : at + (sign === '\n' ? 0 : sign.length);
}
