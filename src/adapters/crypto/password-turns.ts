/** Thrown if so many tasks wait that waiting would end in a timeout. */
class TooBusy extends Error {
  readonly code = 'EBUSY';
  override readonly name = 'TooBusy';
}

/**
 * Runs at most `atOnce` tasks at a time and lets at most `waiting` others wait; more are refused with
 * `TooBusy`.
 */
export function limitConcurrency(atOnce: number, waiting: number): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  const queue: (() => void)[] = [];
  return async (task) => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw new TooBusy('Too many passwords are being checked at once.');
      // The task that ends passes its turn on directly, so that no other can take it in between.
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
