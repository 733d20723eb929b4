/** How long a request waits for the operator, at most. */
const MAX_WAIT_MS = 8000;
const PAUSE_MS = 100;

export interface PollPorts {
  /** Resolves after this time. */
  wait: (milliseconds: number) => Promise<void>;
  /** Monotonic milliseconds. */
  elapsed: () => number;
}

/**
 * Calls `read` until it returns something, for a limited time, and once more when that time is over. Measures
 * time instead of counting reads, because reads of a slow API server or database take longer than the pauses
 * between them.
 */
export async function poll<T>(
  read: () => Promise<T | undefined>,
  { wait, elapsed }: PollPorts,
  maxWaitMs = MAX_WAIT_MS,
): Promise<T | undefined> {
  const startedAt = elapsed();
  for (;;) {
    const isLast = elapsed() - startedAt >= maxWaitMs;
    const found = await read();
    if (found !== undefined || isLast) return found;
    await wait(PAUSE_MS);
  }
}
