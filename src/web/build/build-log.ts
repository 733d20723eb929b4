import type { LineBlock } from './line-block.ts';
import { StepLines } from './step-lines.ts';

/** How much of the log of a build a page stores in full blocks. Older lines are only in the plain text. */
export const LOG_LIMITS = { lines: 200_000, bytes: 16 * 1024 * 1024 };

/** A part of a log, as the stream and the API send it. */
export interface LogChunk {
  attempt: number;
  sequence: number;
  step: string;
  text: string;
  at: string;
}

/** The log of one step in one attempt of the build. */
export interface LoggedStep {
  key: string;
  attempt: number;
  step: string;
  lines: StepLines;
}

/** The log of a build by attempts and steps, in bounded memory: the oldest lines are dropped first. */
export class BuildLog {
  readonly #limits: typeof LOG_LIMITS;
  readonly #steps = new Map<string, LoggedStep>();
  /** Blocks that take no more lines, oldest first. */
  readonly #full: { log: LoggedStep; block: LineBlock }[] = [];
  /** The bytes and the lines of the full blocks. */
  #bytes = 0;
  #lines = 0;
  /** The sequence number of the last chunk. */
  lastSequence = 0;

  constructor(limits = LOG_LIMITS) {
    this.#limits = limits;
  }

  get steps(): readonly LoggedStep[] {
    return [...this.#steps.values()];
  }

  append({ attempt, sequence, step, text, at }: LogChunk): void {
    // A new connection may send a chunk again.
    if (sequence <= this.lastSequence) return;
    this.lastSequence = sequence;
    const log = this.step(attempt, step);
    for (const block of log.lines.append(text, Date.parse(at))) {
      this.#full.push({ log, block });
      this.#lines += block.count;
      this.#bytes += block.size;
    }
    this.#dropOldest();
  }

  /** Returns the log of a step, which it creates for the first text of the step. */
  step(attempt: number, step: string): LoggedStep {
    const key = sectionKeyOf(attempt, step);
    const known = this.#steps.get(key) ?? { key, attempt, step, lines: new StepLines() };
    this.#steps.set(key, known);
    return known;
  }

  /** Drops the oldest blocks until the rest is within the limits. */
  #dropOldest(): void {
    while (this.#bytes > this.#limits.bytes || this.#lines > this.#limits.lines) {
      const oldest = this.#full.shift();
      if (oldest === undefined) return;
      oldest.log.lines.drop();
      this.#lines -= oldest.block.count;
      this.#bytes -= oldest.block.size;
    }
  }
}

/** Names a step in links: `step-1`, and `step-1@2` in the second attempt of the build. */
export function sectionKeyOf(attempt: number, step: string): string {
  return attempt === 1 ? `step-${step}` : `step-${step}@${attempt}`;
}
