export interface BackOffLimits {
  firstMs: number;
  longestMs: number;
}

/**
 * The longest wait after so many failures in a row, the first counted as 1: it doubles with each, up to the
 * bound.
 */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOffLimits): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

/**
 * Waits that double up to a bound, each between half and the whole of its step, so that many do not come back
 * together.
 */
export class BackOff {
  readonly #limits: BackOffLimits;
  readonly #random: () => number;
  #failures = 0;

  /** `random` answers numbers from 0 up to 1, as `Math.random` does. */
  constructor(limits: BackOffLimits, random: () => number) {
    this.#limits = limits;
    this.#random = random;
  }

  /** Number of failures in a row. */
  get failures(): number {
    return this.#failures;
  }

  /** The wait after one more failure, in milliseconds. */
  next(): number {
    this.#failures += 1;
    return (backOffMs(this.#failures, this.#limits) / 2) * (1 + this.#random());
  }

  reset(): void {
    this.#failures = 0;
  }
}
