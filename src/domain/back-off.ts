/** Limits of the waits: the longest wait after the first failure, and the longest wait of all. */
export interface BackOffLimits {
  firstMs: number;
  longestMs: number;
}

/**
 * The longest wait after `failures` failures in a row, in milliseconds. It is `firstMs` after one failure,
 * and doubles with each further one, up to `longestMs`.
 */
export function backOffMs(failures: number, { firstMs, longestMs }: BackOffLimits): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 30));
}

/**
 * Waits between attempts, which double with each failure up to a limit. Each wait is a random time between
 * half of `backOffMs` and all of it, so that many clients do not try again at the same moment.
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

  /** Counts one more failure, and returns the wait after it in milliseconds. */
  next(): number {
    this.#failures += 1;
    return (backOffMs(this.#failures, this.#limits) / 2) * (1 + this.#random());
  }

  /** Call this after a success: the next failure counts as the first one. */
  reset(): void {
    this.#failures = 0;
  }
}
