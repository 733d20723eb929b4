import { LineBlock, rowsOfCells } from './line-block.ts';
import { cellsOf, completeLine, continueLine, NO_LINE, readLine } from './read-line.ts';
import { Runs } from './runs.ts';
import { PLAIN, type Look } from './terminal.ts';

export interface StoredLine {
  /** The text with the sequences that set its style. */
  text: string;
  /** The style at the beginning of the line. */
  look: Look;
  /** When the agent sent the beginning of the line, in milliseconds since 1970. */
  at: number;
}

/** The lines of one step, numbered from 0. If the oldest lines are dropped, the others keep their numbers. */
export class StepLines {
  #blocks: LineBlock[] = [new LineBlock()];
  #open = NO_LINE;
  #openCells = 0;
  /** How many lines are complete, and how many of these were dropped. */
  #complete = 0;
  #dropped = 0;
  /** The style after the last complete line. */
  #look = PLAIN;
  #widest = 0;
  readonly #looks = new Runs<Look>();
  readonly #times = new Runs<number>();

  /** The number of the first line that is stored. */
  get first(): number {
    return this.#dropped;
  }

  /** One more than the number of the last line. */
  get end(): number {
    return this.#complete + (this.#open.text === '' ? 0 : 1);
  }

  /** How many lines are complete, so that they will not change. */
  get complete(): number {
    return this.#complete;
  }

  /** The columns that the widest line takes, dropped lines included. */
  get widest(): number {
    return Math.max(this.#widest, this.#openCells);
  }

  /** Adds text. Returns the blocks that have become full. `drop` may drop them. */
  append(text: string, at: number): LineBlock[] {
    const [first = '', ...more] = text.split('\n');
    const filled: LineBlock[] = [];
    if (this.#open.text === '') this.#times.set(this.#complete, at);
    this.#open = continueLine(this.#open, first);
    for (const line of more) {
      filled.push(...this.#finishLine());
      this.#times.set(this.#complete, at);
      this.#open = continueLine(NO_LINE, line);
    }
    this.#openCells =
      this.#open.text === '' ? 0 : cellsOf(readLine(completeLine(this.#open), this.#look).text);
    return filled;
  }

  #finishLine(): LineBlock[] {
    const line = completeLine(this.#open);
    const { text, look } = readLine(line, this.#look);
    const cells = cellsOf(text);
    this.#widest = Math.max(this.#widest, cells);
    this.#looks.set(this.#complete, this.#look);
    this.#look = look;
    this.#complete += 1;
    const block = this.#blocks.at(-1);
    block?.add(line, cells);
    if (block?.isFull !== true) return [];
    block.seal();
    this.#blocks.push(new LineBlock());
    return [block];
  }

  /** Drops the oldest block, which must be full. */
  drop(): void {
    this.#dropped += this.#blocks.shift()?.count ?? 0;
  }

  line(index: number): StoredLine {
    const at = this.#times.at(index) ?? 0;
    if (index >= this.#complete) return { text: completeLine(this.#open), look: this.#look, at };
    const { block, start } = this.#blockOf(index);
    return { text: block.line(index - start), look: this.#looks.at(index) ?? PLAIN, at };
  }

  /** How many rows all stored lines take. */
  rows(columns: number): number {
    const complete = this.#blocks.reduce((sum, block) => sum + block.rows(columns), 0);
    return complete + (this.end > this.#complete ? rowsOfCells(this.#openCells, columns) : 0);
  }

  rowsOf(index: number, columns: number): number {
    if (index >= this.#complete) return rowsOfCells(this.#openCells, columns);
    const { block, start } = this.#blockOf(index);
    return block.rowsOf(index - start, columns);
  }

  /** The first row of a line. */
  rowOf(index: number, columns: number): number {
    let [row, start] = [0, this.#dropped];
    for (const block of this.#blocks) {
      if (index < start + block.count) {
        for (let before = start; before < index; before += 1) row += block.rowsOf(before - start, columns);
        return row;
      }
      row += block.rows(columns);
      start += block.count;
    }
    return row;
  }

  /** The line at a row, and the first row of that line. */
  lineAt(row: number, columns: number): { line: number; row: number } {
    let [top, start] = [0, this.#dropped];
    for (const block of this.#blocks) {
      const rows = block.rows(columns);
      if (row < top + rows) {
        let index = 0;
        while (row >= top + block.rowsOf(index, columns)) {
          top += block.rowsOf(index, columns);
          index += 1;
        }
        return { line: start + index, row: top };
      }
      top += rows;
      start += block.count;
    }
    return { line: start, row: top };
  }

  /** The texts of all stored lines from `from` on, without escape sequences. */
  *texts(from: number): Generator<{ line: number; text: string }> {
    let start = this.#dropped;
    for (const block of this.#blocks) {
      if (start + block.count > from) yield* this.#textsOf(block.lines(), start, from);
      start += block.count;
    }
    if (this.end > this.#complete)
      yield { line: start, text: readLine(completeLine(this.#open), PLAIN).text };
  }

  *#textsOf(lines: readonly string[], start: number, from: number) {
    for (let index = Math.max(0, from - start); index < lines.length; index += 1)
      yield { line: start + index, text: readLine(lines[index] ?? '', PLAIN).text };
  }

  #blockOf(index: number): { block: LineBlock; start: number } {
    let start = this.#dropped;
    for (const block of this.#blocks) {
      if (index >= start && index < start + block.count) return { block, start };
      start += block.count;
    }
    throw new Error(`Line ${index} is not stored.`);
  }
}
