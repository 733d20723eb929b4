import { cutLog } from '#domain/build/log-limit.ts';
import type { Masker } from '#domain/build/mask-secrets.ts';
import { MaskedText } from './masked-text.ts';

const BATCH_CHARACTERS = 64 * 1024;
/** Complete lines are sent after `FLUSH_LINES_MS`, an unfinished line after `FLUSH_ALL_MS`. */
const FLUSH_LINES_MS = 100;
const FLUSH_ALL_MS = 1000;

/** How many bytes a build may still write to its log. All steps share the budget. */
export class LogBudget {
  readonly #limit: number;
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isSpent(): boolean {
    return this.#used > this.#limit;
  }

  /** The part of the text within the limit. The first text that exceeds it ends with a note. */
  cut(text: string): string {
    const cut = cutLog(text, this.#used, this.#limit);
    this.#used = cut.used;
    return cut.text;
  }
}

/**
 * The log of one step: its output is decoded, masked, and sent in pieces that end at the end of a line if
 * possible.
 */
export class StepLog {
  readonly #emit: (text: string) => void;
  readonly #budget: LogBudget;
  readonly #streams: Record<'stdout' | 'stderr', MaskedText>;
  /** Written at the beginning of each line. */
  readonly #prefix: string;
  #atLineStart = true;
  #text = '';
  #timer: NodeJS.Timeout | undefined;
  #waitingSince = 0;

  constructor(masker: Masker, budget: LogBudget, emit: (text: string) => void, prefix = '') {
    this.#prefix = prefix;
    this.#emit = emit;
    this.#budget = budget;
    this.#streams = { stdout: new MaskedText(masker), stderr: new MaskedText(masker) };
  }

  write(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    if (this.#budget.isSpent) return;
    this.#append(this.#streams[stream].write(bytes));
  }

  /** Adds a line that the agent itself writes. */
  note(line: string): void {
    this.#append(`${this.#atLineStart ? '' : '\n'}${line}\n`);
  }

  end(): void {
    for (const stream of Object.values(this.#streams)) this.#append(stream.end());
    this.#flush(this.#text.length);
  }

  #append(text: string): void {
    if (text === '') return;
    if (this.#text === '') this.#waitingSince = performance.now();
    this.#text += this.#prefix === '' ? text : this.#withPrefix(text);
    this.#atLineStart = text.endsWith('\n');
    while (this.#text.length >= BATCH_CHARACTERS)
      this.#flush(this.#lineEnd(BATCH_CHARACTERS) || BATCH_CHARACTERS);
    if (this.#text !== '') this.#timer ??= setTimeout(() => this.#flushWhenDue(), FLUSH_LINES_MS);
  }

  #withPrefix(text: string): string {
    const first = this.#atLineStart ? this.#prefix : '';
    return first + text.replaceAll(/\n(?!$)/g, `\n${this.#prefix}`);
  }

  #lineEnd(limit: number): number {
    return this.#text.lastIndexOf('\n', limit - 1) + 1;
  }

  #flushWhenDue(): void {
    this.#timer = undefined;
    const isOld = performance.now() - this.#waitingSince >= FLUSH_ALL_MS;
    this.#flush(isOld ? this.#text.length : this.#lineEnd(this.#text.length));
    if (this.#text !== '') this.#timer = setTimeout(() => this.#flushWhenDue(), FLUSH_LINES_MS);
  }

  #flush(length: number): void {
    if (length === 0) return;
    const text = this.#budget.cut(this.#text.slice(0, length));
    this.#text = this.#text.slice(length);
    this.#waitingSince = performance.now();
    if (this.#text === '') {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    if (text !== '') this.#emit(text);
  }
}
