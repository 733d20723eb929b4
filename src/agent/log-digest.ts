import { stripVTControlCharacters } from 'node:util';
import { compilerErrorIn, type CompilerError } from '#domain/build/compiler-errors.ts';

const MAX_LINES = 50;
const MAX_CHARACTERS = 8000;
const MAX_ERRORS = 50;
const MAX_LINE_CHARACTERS = 1000;

/** The end of a build's log, and the errors of compilers in it, for notifications. Takes masked text only. */
export class LogDigest {
  readonly #workdir: string;
  /** The unfinished last line of each step. */
  readonly #unfinished = new Map<string, string>();
  readonly #errors: CompilerError[] = [];
  #lines: string[] = [];

  constructor(workdir: string) {
    this.#workdir = workdir;
  }

  add(step: string, text: string): void {
    const lines = ((this.#unfinished.get(step) ?? '') + text).split('\n');
    this.#unfinished.set(step, (lines.pop() ?? '').slice(0, MAX_LINE_CHARACTERS));
    for (const line of lines) this.#addLine(line);
  }

  /** The variables of notifications: arrays in JSON. */
  variables(): Record<string, string> {
    const lines = [
      ...this.#lines,
      ...[...this.#unfinished.values()].filter((line) => line !== '').map(readable),
    ];
    return { BUILD_LOG: JSON.stringify(lastThatFit(lines)), BUILD_ERRORS: JSON.stringify(this.#errors) };
  }

  #addLine(line: string): void {
    const readableLine = readable(line);
    this.#lines.push(readableLine);
    if (this.#lines.length > 2 * MAX_LINES) this.#lines = this.#lines.slice(-MAX_LINES);
    const error = this.#errors.length < MAX_ERRORS ? compilerErrorIn(readableLine, this.#workdir) : undefined;
    if (error !== undefined) this.#errors.push(error);
  }
}

function readable(line: string): string {
  return stripVTControlCharacters(line.slice(0, MAX_LINE_CHARACTERS))
    .replaceAll(/\p{Cc}/gu, ' ')
    .trimEnd()
    .toWellFormed();
}

/** The last lines: at most `MAX_LINES`, and as many of them as fit into `MAX_CHARACTERS`. */
function lastThatFit(lines: readonly string[]): string[] {
  const fitting: string[] = [];
  let left = MAX_CHARACTERS;
  for (const line of lines.slice(-MAX_LINES).toReversed()) {
    left -= line.length;
    if (left < 0) break;
    fitting.unshift(line);
  }
  return fitting;
}
