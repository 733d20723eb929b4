/** Waits that double up to a bound, each between half and the whole of its step, so that many do not move in step. */
export class BackOff {
  readonly #baseMs: number;
  readonly #longestMs: number;
  readonly #random: () => number;
  #failures = 0;

  constructor(baseMs: number, longestMs: number, random: () => number = Math.random) {
    this.#baseMs = baseMs;
    this.#longestMs = longestMs;
    this.#random = random;
  }

  get failures(): number {
    return this.#failures;
  }

  /** The wait after one more failure. */
  next(): number {
    const step = Math.min(this.#baseMs * 2 ** Math.min(this.#failures, 30), this.#longestMs);
    this.#failures += 1;
    return (step / 2) * (1 + this.#random());
  }

  reset(): void {
    this.#failures = 0;
  }
}
