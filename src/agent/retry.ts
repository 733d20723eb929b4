import { BackOff } from '#domain/back-off.ts';
import { RequestRefused, SessionOver } from './gateway-client.ts';

/** The waits between tries to reach the gateway. */
export const gatewayBackOff = (): BackOff => new BackOff({ firstMs: 50, longestMs: 10_000 }, Math.random);

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
  const backOff = gatewayBackOff();
  for (;;) {
    try {
      return await action();
    } catch (error) {
      const pause = backOff.next();
      if (isFinal(error) || Date.now() + pause > limits.until()) throw error;
      await pauseFor(pause, limits.signal);
      if (limits.signal?.aborted) throw error;
    }
  }
}
