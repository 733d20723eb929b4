import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats `look` until it stops throwing and answers with what it returned; after `withinSeconds` it throws
 * the last error, so that a failure tells what was seen. The bound is generous: it catches what never
 * happens, it measures nothing.
 */
export const eventually = async <T>(look: () => Promise<T>, withinSeconds = 300): Promise<T> => {
  const end = Date.now() + withinSeconds * 1000;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(200);
    }
  }
};
