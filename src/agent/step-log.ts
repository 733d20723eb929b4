import { StringDecoder } from 'node:string_decoder';
import { cutLog } from '#domain/build/log-limit.ts';
import type { Masker, MaskStream } from '#domain/build/mask.ts';
import { storable } from '#domain/build/storable.ts';

const BATCH = 64 * 1024;
const LINES_AFTER_MS = 100;
const ANYTHING_AFTER_MS = 1000;

/** What a build may still write to its log. */
export class LogBudget {
  readonly #limit: number;
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get spent(): boolean {
    return this.#used > this.#limit;
  }

  /** As much of the text as may go out; the first time that something may not, it says so. */
  cut(text: string): string {
    const cut = cutLog(text, this.#used, this.#limit);
    this.#used = cut.used;
    return cut.text;
  }
}

/**
 * One step's output on its way out: decoded, masked, and gathered into pieces that end with a line where they
 * can.
 */
export class StepLog {
  readonly #emit: (text: string) => void;
  readonly #budget: LogBudget;
  readonly #streams: Record<'stdout' | 'stderr', Stream>;
  #text = '';
  #timer: NodeJS.Timeout | undefined;
  #since = 0;

  constructor(masker: Masker, budget: LogBudget, emit: (text: string) => void) {
    this.#emit = emit;
    this.#budget = budget;
    this.#streams = { stdout: new Stream(masker), stderr: new Stream(masker) };
  }

  write(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    if (this.#budget.spent) return;
    this.#gather(this.#streams[stream].write(bytes));
  }

  /** A line of the agent's own. */
  say(line: string): void {
    this.#gather(`${this.#text === '' || this.#text.endsWith('\n') ? '' : '\n'}${line}\n`);
  }

  end(): void {
    for (const stream of Object.values(this.#streams)) this.#gather(stream.end());
    this.#flush(this.#text.length);
  }

  #gather(text: string): void {
    if (text === '') return;
    if (this.#text === '') this.#since = Date.now();
    this.#text += text;
    while (this.#text.length >= BATCH) this.#flush(this.#lineEnd(BATCH) || BATCH);
    if (this.#text !== '') this.#timer ??= setTimeout(() => this.#due(), LINES_AFTER_MS);
  }

  #lineEnd(limit: number): number {
    return this.#text.lastIndexOf('\n', limit - 1) + 1;
  }

  #due(): void {
    this.#timer = undefined;
    const old = Date.now() - this.#since >= ANYTHING_AFTER_MS;
    this.#flush(old ? this.#text.length : this.#lineEnd(this.#text.length));
    if (this.#text !== '') this.#timer = setTimeout(() => this.#due(), LINES_AFTER_MS);
  }

  #flush(length: number): void {
    if (length === 0) return;
    const text = this.#budget.cut(this.#text.slice(0, length));
    this.#text = this.#text.slice(length);
    this.#since = Date.now();
    if (this.#text === '') {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    if (text !== '') this.#emit(text);
  }
}

class Stream {
  readonly #decoder = new StringDecoder('utf8');
  readonly #mask: MaskStream;

  constructor(masker: Masker) {
    this.#mask = masker.stream();
  }

  write(bytes: Buffer): string {
    return this.#mask.write(storable(this.#decoder.write(bytes)));
  }

  end(): string {
    return this.#mask.write(storable(this.#decoder.end())) + this.#mask.end();
  }
}
