import { stripVTControlCharacters } from 'node:util';
import { compilerErrorIn, ERROR_LOCATION, type CompilerError } from '#domain/build/compiler-errors.ts';

const MAX_LINES = 50;
const MAX_CHARACTERS = 8000;
const MAX_ERRORS = 50;
const MAX_LINE_CHARACTERS = 1000;

/**
 * The end of a build's log, and the errors of compilers in it, for notifications. Takes masked text only.
 * Most lines are neither, so it does not look at each one: a step may print a million of them.
 */
export class LogDigest {
  readonly #workdir: string;
  /** The unfinished last line of each step. */
  readonly #unfinished = new Map<string, string>();
  readonly #errors: CompilerError[] = [];
  /** The last finished lines, as they were printed. */
  #lines: string[] = [];

  constructor(workdir: string) {
    this.#workdir = workdir;
  }

  add(step: string, text: string): void {
    const joined = (this.#unfinished.get(step) ?? '') + text;
    const end = joined.lastIndexOf('\n') + 1;
    this.#unfinished.set(step, joined.slice(end, end + MAX_LINE_CHARACTERS));
    if (end === 0) return;
    const finished = joined.slice(0, end - 1);
    this.#lines = [...this.#lines, ...lastLines(finished)].slice(-MAX_LINES);
    if (this.#errors.length < MAX_ERRORS) this.#addErrors(stripVTControlCharacters(finished));
  }

  /** The variables of notifications: arrays in JSON. */
  variables(): Record<string, string> {
    const unfinished = [...this.#unfinished.values()].filter((line) => line !== '');
    const lines = [...this.#lines, ...unfinished].map(readable);
    return { BUILD_LOG: JSON.stringify(lastThatFit(lines)), BUILD_ERRORS: JSON.stringify(this.#errors) };
  }

  #addErrors(text: string): void {
    let searched = 0;
    for (const { index } of text.matchAll(ERROR_LOCATION)) {
      if (index < searched) continue;
      const [from, to] = lineAround(text, index);
      searched = to;
      const error = compilerErrorIn(readable(text.slice(from, to)), this.#workdir);
      if (error !== undefined) this.#errors.push(error);
      if (this.#errors.length === MAX_ERRORS) return;
    }
  }
}

/** The last `MAX_LINES` lines of the text. */
function lastLines(text: string): string[] {
  let from = text.length + 1;
  for (let count = 0; count < MAX_LINES && from > 0; count += 1) from = lineAround(text, from - 1)[0];
  return text.slice(from).split('\n');
}

/** Where the line begins and ends that has this position, or that ends there. */
function lineAround(text: string, position: number): [from: number, to: number] {
  const end = text.indexOf('\n', position);
  return [position === 0 ? 0 : text.lastIndexOf('\n', position - 1) + 1, end === -1 ? text.length : end];
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
