/** After this time without progress, the process counts as stuck: a restart helps more than waiting. */
const STUCK_MS = 120_000;

/**
 * Readiness and liveness of the process. The process counts as alive only while its work makes progress: it
 * is not enough that it answers.
 */
export class Health {
  #state: 'starting' | 'waiting' | 'leading' = 'starting';
  #watched: (() => number)[] = [];

  /** This replica is ready to lead and waits for the lease. */
  waiting(): void {
    this.#state = 'waiting';
  }

  /**
   * This replica leads. `stuckMs`: each function returns for how many milliseconds one part of the work has
   * made no progress.
   */
  leading(stuckMs: (() => number)[]): void {
    this.#state = 'leading';
    this.#watched = stuckMs;
  }

  /** Why the process is not ready; undefined if it is. */
  notReady(): string | undefined {
    return this.#state === 'starting' ? 'The operator is starting.' : this.stuck();
  }

  /** Why the process counts as stuck; undefined while everything progresses. */
  stuck(): string | undefined {
    const longest = Math.max(0, ...this.#watched.map((stuckMs) => stuckMs()));
    if (longest < STUCK_MS) return undefined;
    return `The operator has made no progress for ${Math.round(longest / 1000)} seconds.`;
  }
}
