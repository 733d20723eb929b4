/** A value for each line, where most lines have that of the line before. Lines are set in order. */
export class Runs<T> {
  readonly #starts: number[] = [];
  readonly #values: T[] = [];

  /** From this line on, the value holds. */
  set(line: number, value: T): void {
    const last = this.#values.length - 1;
    if (last >= 0 && this.#values[last] === value) return;
    if (this.#starts[last] === line) this.#values[last] = value;
    else {
      this.#starts.push(line);
      this.#values.push(value);
    }
  }

  /** `undefined` before the first line that was set. */
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
