/** Longest time without any progress: beyond it the process is worth more restarted. */
const STUCK_MS = 120_000;

/**
 * Whether the process can do its work, and whether it still turns; alive is who moves forward, not who merely
 * answers.
 */
export class Health {
  #state: 'starting' | 'waiting' | 'leading' = 'starting';
  #watched: (() => number)[] = [];

  /** Ready to lead, while another does. */
  waiting(): void {
    this.#state = 'waiting';
  }

  /** Each function tells for how many milliseconds its part has not moved. */
  leading(stuckMs: (() => number)[]): void {
    this.#state = 'leading';
    this.#watched = stuckMs;
  }

  /** Undefined when ready, else why not. */
  notReady(): string | undefined {
    return this.#state === 'starting' ? 'The operator is starting.' : this.stuck();
  }

  /** Undefined while everything moves. */
  stuck(): string | undefined {
    const longest = Math.max(0, ...this.#watched.map((stuckMs) => stuckMs()));
    if (longest < STUCK_MS) return undefined;
    return `Nothing has moved for ${Math.round(longest / 1000)} seconds.`;
  }
}
