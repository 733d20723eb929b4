import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Fulfilled with the work, or when it has not ended so long after the signal was given: what hangs by then,
 * on a line that fell silent for instance, goes with the process. Answers whether the work ended.
 */
export async function endWithin(
  milliseconds: number,
  work: Promise<void>,
  over: AbortSignal,
): Promise<boolean> {
  const ended = new AbortController();
  const overdue = async (): Promise<boolean> => {
    await given(over, ended.signal);
    await sleep(milliseconds, undefined, { signal: ended.signal }).catch(() => undefined);
    return false;
  };
  try {
    return await Promise.race([work.then(() => true), overdue()]);
  } finally {
    ended.abort();
  }
}

/** Fulfilled when either signal is given. */
function given(signal: AbortSignal, other: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const either = AbortSignal.any([signal, other]);
    if (either.aborted) resolve();
    else either.addEventListener('abort', () => resolve(), { once: true });
  });
}
