import { BackOff } from '#domain/back-off.ts';
import { RequestRefused, SessionOver } from './gateway-client.ts';

/** The waits between attempts to reach the gateway. */
export const gatewayBackOff = (): BackOff => new BackOff({ firstMs: 50, longestMs: 10_000 }, Math.random);

/** Waits for `ms` milliseconds, or until `signal` aborts. */
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
  /**
   * Returns a time of `performance.now()`. No attempt except the first starts after it. Unlike the clock of
   * the node, `performance.now()` never jumps.
   */
  until: () => number;
  signal?: AbortSignal;
}

/** Whether the error is one that a retry cannot fix. */
export function isFinal(error: unknown): boolean {
  return error instanceof SessionOver || error instanceof RequestRefused;
}

/**
 * Retries an action until it succeeds. Throws the last error if it is final, or if the limits are reached.
 */
export async function retry<Answer>(action: () => Promise<Answer>, limits: RetryLimits): Promise<Answer> {
  const backOff = gatewayBackOff();
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const pause = backOff.next();
      if (isFinal(error) || performance.now() + pause > limits.until()) throw error;
      await pauseFor(pause, limits.signal);
      if (limits.signal?.aborted) throw error;
    }
  }
}
