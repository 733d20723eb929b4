import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Calls `repeat` again and again, with pauses of `pauseMs`, until `work` has ended, and returns what `work`
 * returns. Throws as soon as one of them fails; `repeat` is then not called again.
 */
export async function repeatBeside<T>(
  work: () => Promise<T>,
  { repeat, pauseMs }: { repeat: () => unknown; pauseMs: number },
): Promise<T> {
  const done = new AbortController();
  const repeating = (async () => {
    for (; !done.signal.aborted; await sleep(pauseMs)) await repeat();
  })();
  const working = work().finally(() => done.abort());
  const [result] = await Promise.all([working, repeating]);
  return result;
}
