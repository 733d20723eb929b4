/** So many wait already that waiting would end in a time-out. */
class TooBusy extends Error {
  readonly code = 'EBUSY';
  override readonly name = 'TooBusy';
}

/**
 * Runs at most `atOnce` of the tasks side by side and keeps at most `waiting` others; who comes then is
 * refused with `TooBusy`.
 */
export function limitConcurrency(atOnce: number, waiting: number): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  const queue: (() => void)[] = [];
  return async (task) => {
    if (running >= atOnce) {
      if (queue.length >= waiting) throw new TooBusy('Too many passwords are being checked at once.');
      // Whoever ends hands on the turn, so nobody takes it in between.
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
