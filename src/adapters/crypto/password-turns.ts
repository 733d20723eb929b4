/** Thrown if the queue of waiting tasks is full. */
class TooBusy extends Error {
  readonly code = 'EBUSY';
  override readonly name = 'TooBusy';
}

/**
 * Returns a function that runs at most `maxRunning` tasks at a time and lets at most `maxWaiting` others
 * wait. It refuses more tasks with `TooBusy`.
 */
export function limitConcurrency(
  maxRunning: number,
  maxWaiting: number,
): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  const queue: (() => void)[] = [];
  return async (task) => {
    if (running >= maxRunning) {
      if (queue.length >= maxWaiting) throw new TooBusy('Too many passwords are being checked at once.');
      // A task that ends passes its turn directly to the first waiting task, so that no new task can take it.
      await new Promise<void>((resolve) => queue.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await task();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
