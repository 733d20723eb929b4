/** Stores a value for each line, in little memory if most lines have the value of the line before. */
export class Runs<T> {
  readonly #starts: number[] = [];
  readonly #values: T[] = [];

  /** Sets the value from this line on. Callers set lines in order. */
  set(line: number, value: T): void {
    const last = this.#values.length - 1;
    if (last >= 0 && this.#values[last] === value) return;
    if (this.#starts[last] === line) this.#values[last] = value;
    else {
      this.#starts.push(line);
      this.#values.push(value);
    }
  }

  /** The value of a line; undefined for lines before the first one that was set. */
  at(line: number): T | undefined {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= line) low = middle + 1;
      else high = middle;
    }
    return this.#values[low - 1];
  }
}
