import { RequestRefused, SessionOver } from './gateway-client.ts';

const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 10_000;

/** The pause before try `count + 1`: doubling, with jitter, so that the agents of a whole cluster do not come back together. */
export function pauseAfter(count: number): number {
  const full = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(count, 16));
  return full / 2 + (Math.random() * full) / 2;
}

/** Waits, or returns early when the signal comes. */
export function pauseFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', finish, { once: true });
    function finish(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    }
  });
}

export interface RetryLimits {
  /** Milliseconds since the epoch after which no further try begins. */
  until: () => number;
  signal?: AbortSignal;
}

/** Another try would end no better. */
export function isFinal(error: unknown): boolean {
  return error instanceof SessionOver || error instanceof RequestRefused;
}

/** Tries until it works, no try can help, or time is up; then throws the last failure. */
export async function retrying<Answer>(action: () => Promise<Answer>, limits: RetryLimits): Promise<Answer> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await action();
    } catch (error) {
      const pause = pauseAfter(failures);
      if (isFinal(error) || Date.now() + pause > limits.until()) throw error;
      await pauseFor(pause, limits.signal);
      if (limits.signal?.aborted) throw error;
    }
  }
}
