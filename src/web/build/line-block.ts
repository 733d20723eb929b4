/** A block takes lines until it has this many characters. Then it is full and stores its lines as bytes. */
export const MAX_BLOCK_CHARACTERS = 64 * 1024;

/**
 * Lines as UTF-8 bytes. They take less memory than strings: a string with a single character outside of
 * Latin-1 takes two bytes for each character.
 */
interface SealedLines {
  bytes: Uint8Array;
  /** The offset of each line, and the offset after the last line. */
  starts: Uint32Array;
  /** The columns that each line takes on the screen. */
  cells: Uint32Array;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Consecutive lines of a log in little memory. */
export class LineBlock {
  #lines: string[] = [];
  #cells: number[] = [];
  #characters = 0;
  #sealed: SealedLines | undefined;
  #rows: { columns: number; total: number } | undefined;

  get count(): number {
    return this.#sealed?.cells.length ?? this.#lines.length;
  }

  /** The size of the text: in bytes if the block is sealed, before that in characters. */
  get size(): number {
    return this.#sealed?.bytes.length ?? this.#characters;
  }

  get isFull(): boolean {
    return this.#characters >= MAX_BLOCK_CHARACTERS;
  }

  /** Adds a line, which takes `cells` columns on the screen. */
  add(line: string, cells: number): void {
    this.#lines.push(line);
    this.#cells.push(cells);
    this.#characters += line.length + 1;
    this.#rows = undefined;
  }

  /** Stores the lines as bytes. The block takes no more lines. */
  seal(): void {
    const encoded = this.#lines.map((line) => encoder.encode(`${line}\n`));
    const starts = new Uint32Array(encoded.length + 1);
    for (const [index, { length }] of encoded.entries()) starts[index + 1] = (starts[index] ?? 0) + length;
    const bytes = new Uint8Array(starts.at(-1) ?? 0);
    for (const [index, line] of encoded.entries()) bytes.set(line, starts[index]);
    this.#sealed = { bytes, starts, cells: Uint32Array.from(this.#cells) };
    this.#lines = [];
    this.#cells = [];
  }

  line(index: number): string {
    if (this.#sealed === undefined) return this.#lines[index] ?? '';
    const { bytes, starts } = this.#sealed;
    return decoder.decode(bytes.subarray(starts[index] ?? 0, Math.max(0, (starts[index + 1] ?? 1) - 1)));
  }

  lines(): string[] {
    if (this.#sealed === undefined) return this.#lines;
    return decoder.decode(this.#sealed.bytes).split('\n').slice(0, -1);
  }

  /**
   * How many rows the lines take on a screen with this many columns. With infinite columns, lines do not
   * wrap.
   */
  rows(columns: number): number {
    if (columns === Number.POSITIVE_INFINITY) return this.count;
    if (this.#rows?.columns !== columns) {
      let total = 0;
      for (let index = 0; index < this.count; index += 1) total += this.rowsOf(index, columns);
      this.#rows = { columns, total };
    }
    return this.#rows.total;
  }

  rowsOf(index: number, columns: number): number {
    return rowsOfCells(this.#sealed?.cells[index] ?? this.#cells[index] ?? 0, columns);
  }
}

export function rowsOfCells(cells: number, columns: number): number {
  return Math.max(1, Math.ceil(cells / columns));
}
