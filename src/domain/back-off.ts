export interface BackOffLimits {
  firstMs: number;
  longestMs: number;
}

/**
 * The longest wait after one or more failures in a row. It doubles with each failure, up to `longestMs`.
 */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOffLimits): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

/**
 * Waits that double with each failure up to a limit. Each is a random time between half of `backOffMs` and
 * all of it, so that many clients do not try again at the same moment.
 */
export class BackOff {
  readonly #limits: BackOffLimits;
  readonly #random: () => number;
  #failures = 0;

  /** `random` returns numbers from 0 up to 1, as `Math.random` does. */
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
