import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats `attempt` until it stops throwing and returns its result. After `withinSeconds` it throws the last
 * error, so a failure says what was seen. An attempt itself has no limit. The default is generous: it detects
 * what never happens and measures nothing.
 */
export const eventually = async <T>(attempt: () => Promise<T>, withinSeconds = 300): Promise<T> => {
  const end = Date.now() + withinSeconds * 1000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() > end) throw error;
      await sleep(200);
    }
  }
};
