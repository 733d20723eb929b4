import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Resolves to true when the work ends. Resolves to false if the work has not ended in time after the signal,
 * for example because a connection is silent. The work then ends with the process.
 */
export async function endWithin(
  milliseconds: number,
  work: Promise<void>,
  stop: AbortSignal,
): Promise<boolean> {
  const ended = new AbortController();
  const overdue = async (): Promise<boolean> => {
    await whenOneAborts(stop, ended.signal);
    await sleep(milliseconds, undefined, { signal: ended.signal }).catch(() => undefined);
    return false;
  };
  try {
    return await Promise.race([work.then(() => true), overdue()]);
  } finally {
    ended.abort();
  }
}

function whenOneAborts(signal: AbortSignal, other: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const either = AbortSignal.any([signal, other]);
    if (either.aborted) resolve();
    else either.addEventListener('abort', () => resolve(), { once: true });
  });
}
