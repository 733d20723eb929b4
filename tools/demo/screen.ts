/**
 * Output of the demonstration: numbered headings, indented lines, and a block that is redrawn in place on a
 * terminal.
 */
export class Screen {
  readonly #out: NodeJS.WriteStream;
  readonly #steps: number;
  #step = 0;
  #drawn: string[] = [];
  readonly #started = Date.now();

  constructor(steps: number, out: NodeJS.WriteStream = process.stdout) {
    this.#out = out;
    this.#steps = steps;
  }

  heading(title: string): void {
    this.#step += 1;
    this.settle();
    this.#out.write(
      `\n${this.#bold(`[${this.#step}/${this.#steps}] ${title}`)}${this.#dim(`  ${this.elapsed()}`)}\n`,
    );
  }

  line(text: string): void {
    this.settle();
    this.#out.write(`    ${text}\n`);
  }

  /** Output of another tool, dimmed. */
  readonly quote = (text: string): void => {
    this.settle();
    this.#out.write(`${this.#dim(`    ${text}`)}\n`);
  };

  /**
   * Draws a block. On a terminal it replaces the previous block; elsewhere only changed lines are printed.
   */
  redraw(lines: readonly string[]): void {
    if (this.#out.isTTY) {
      if (this.#drawn.length > 0) this.#out.write(`\u001b[${this.#drawn.length}A\u001b[0J`);
      const width = Math.max(20, this.#out.columns - 5);
      for (const text of lines) this.#out.write(`    ${text.slice(0, width)}\n`);
    } else {
      const drawn = new Set(this.#drawn.map(withoutTimes));
      for (const text of lines.filter((line) => !drawn.has(withoutTimes(line))))
        this.#out.write(`    ${text}\n`);
    }
    this.#drawn = [...lines];
  }

  /** Keeps the block as it is; further output comes below the block. */
  settle(): void {
    this.#drawn = [];
  }

  elapsed(): string {
    return clock(Date.now() - this.#started);
  }

  #bold(text: string): string {
    return this.#out.isTTY ? `\u001b[1m${text}\u001b[0m` : text;
  }

  #dim(text: string): string {
    return this.#out.isTTY ? `\u001b[2m${text}\u001b[0m` : text;
  }
}

/** Minutes and seconds, such as `0:07` and `12:30`. */
export function clock(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function withoutTimes(text: string): string {
  return text.replaceAll(/(?<!\d)\d+:\d\d/g, '').trimEnd();
}
