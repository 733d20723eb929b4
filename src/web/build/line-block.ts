/** A block takes lines until it has this many characters; then its lines become bytes. */
export const MAX_BLOCK_CHARACTERS = 64 * 1024;

/** UTF-8: a string with a single sign outside of Latin-1 would take two bytes for each character. */
interface Sealed {
  bytes: Uint8Array;
  /** Where each line starts, and where the next one would. */
  starts: Uint32Array;
  cells: Uint32Array;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Consecutive lines of a log in little memory. */
export class LineBlock {
  #lines: string[] = [];
  #cells: number[] = [];
  #characters = 0;
  #sealed: Sealed | undefined;
  #rows: { columns: number; total: number } | undefined;

  get count(): number {
    return this.#sealed?.cells.length ?? this.#lines.length;
  }

  /** Bytes of its text; characters, while it takes lines. */
  get size(): number {
    return this.#sealed?.bytes.length ?? this.#characters;
  }

  get isFull(): boolean {
    return this.#characters >= MAX_BLOCK_CHARACTERS;
  }

  /** `cells`: columns that the line takes on the screen. */
  add(line: string, cells: number): void {
    this.#lines.push(line);
    this.#cells.push(cells);
    this.#characters += line.length + 1;
    this.#rows = undefined;
  }

  /** Call it when no more lines follow. */
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

  /** Rows on a screen of this many columns; lines do not wrap if they are infinite. */
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
