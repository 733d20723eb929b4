/** An error in a file, as a compiler printed it. */
export interface CompilerError {
  /** Relative to the working directory, or as printed. */
  path: string;
  line: number;
  column?: number;
  message: string;
}

const MAX_LINE_CHARACTERS = 1000;
const MAX_MESSAGE_CHARACTERS = 500;

/** `src/a.c:3:5: error: …`, `main.go:3:5: …`, `src/a.ts(3,5): error …`, `src/a.ts:3:5 - error …`. */
const PLACE =
  /^\s*(?<path>[\w@.+/-]+)[:(](?<line>\d{1,7})(?:[:,](?<column>\d{1,6}))?\)?(?::| -) (?<rest>.+)$/;
const EXTENSION = /\.[A-Za-z]\w{0,9}$/;
const ERROR = /^(?:fatal )?error\b/i;
const OTHER = /^(?:warning|note|info|hint|remark|debug|trace|help)\b/i;

/** Undefined: the line does not look like an error of a compiler. `line`: masked and without control characters. */
export function compilerErrorIn(line: string, workdir: string): CompilerError | undefined {
  const found = line.length > MAX_LINE_CHARACTERS ? undefined : PLACE.exec(line)?.groups;
  if (found === undefined) return undefined;
  const { path: printed = '', line: number = '', column, rest = '' } = found;
  const path = inWorkdir(printed, workdir);
  if (path === undefined || !saysError(rest, column)) return undefined;
  const message = rest.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed();
  return { path, line: Number(number), ...(column !== undefined && { column: Number(column) }), message };
}

/** Compilers of Go name no severity: then only a column tells the line from other output. */
function saysError(rest: string, column: string | undefined): boolean {
  return ERROR.test(rest) || (column !== undefined && !OTHER.test(rest));
}

/** Undefined: the file is elsewhere, or it is none. */
function inWorkdir(path: string, workdir: string): string | undefined {
  const inside = path.startsWith(`${workdir}/`) ? path.slice(workdir.length + 1) : path.replace(/^\.\//, '');
  const isOutside = inside.startsWith('/') || inside.split('/').includes('..');
  return isOutside || !EXTENSION.test(inside) ? undefined : inside;
}
