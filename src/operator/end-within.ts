import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits for `work`, and after `stop` aborts only for this many milliseconds. Resolves to true if the work has
 * ended, otherwise to false, for example because a connection is silent. Does not cancel the work: it ends
 * with the process.
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

function whenOneAborts(first: AbortSignal, second: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const either = AbortSignal.any([first, second]);
    if (either.aborted) resolve();
    else either.addEventListener('abort', () => resolve(), { once: true });
  });
}
