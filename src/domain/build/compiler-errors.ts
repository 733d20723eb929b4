/** An error in a file, as a compiler printed it. */
export interface CompilerError {
  /** The printed path, without the working directory or `./` at its start. */
  path: string;
  line: number;
  column?: number;
  message: string;
}

const MAX_LINE_CHARACTERS = 1000;
const MAX_MESSAGE_CHARACTERS = 500;

/**
 * Matches `src/a.c:3:5: error: …`, `main.go:3:5: …`, `src/a.ts(3,5): error …` and `src/a.ts:3:5 - error …`.
 */
const LOCATED_MESSAGE =
  /^\s*(?<path>[\w@.+/-]+)[:(](?<line>\d{1,7})(?:[:,](?<column>\d{1,6}))?\)?(?::| -) (?<rest>.+)$/;
const EXTENSION = /\.[A-Za-z]\w{0,9}$/;
const ERROR = /^(?:fatal )?error\b/i;
const OTHER_SEVERITY = /^(?:warning|note|info|hint|remark|debug|trace|help)\b/i;

/**
 * The error in a line of a log. Undefined: the line does not look like an error of a compiler. The line must
 * be masked and have no control characters.
 */
export function compilerErrorIn(line: string, workdir: string): CompilerError | undefined {
  const groups = line.length > MAX_LINE_CHARACTERS ? undefined : LOCATED_MESSAGE.exec(line)?.groups;
  if (groups === undefined) return undefined;
  const { path: printedPath = '', line: lineNumber = '', column, rest: text = '' } = groups;
  const path = inWorkdir(printedPath, workdir);
  if (path === undefined || !isError(text, column)) return undefined;
  const message = text.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed();
  return { path, line: Number(lineNumber), ...(column !== undefined && { column: Number(column) }), message };
}

/**
 * Whether the text after the location is the message of an error. The Go compiler prints no severity, so a
 * message without a severity counts as an error if the location has a column.
 */
function isError(text: string, column: string | undefined): boolean {
  return ERROR.test(text) || (column !== undefined && !OTHER_SEVERITY.test(text));
}

/** The path relative to the working directory. Undefined: the file is outside of it, or has no extension. */
function inWorkdir(path: string, workdir: string): string | undefined {
  const inside = path.startsWith(`${workdir}/`) ? path.slice(workdir.length + 1) : path.replace(/^\.\//, '');
  const isOutside = inside.startsWith('/') || inside.split('/').includes('..');
  return isOutside || !EXTENSION.test(inside) ? undefined : inside;
}
