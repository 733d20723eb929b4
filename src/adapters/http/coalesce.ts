/**
 * Makes many equal requests one: while a call for a key is under way, all that come meanwhile share the next one. So each caller's
 * call begins after its request, and a burst costs two calls.
 */
export function coalesced<T>(call: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const underway = new Map<string, Promise<T>>();
  const next = new Map<string, Promise<T>>();
  const start = (key: string): Promise<T> => {
    const running = call(key).finally(() => {
      if (underway.get(key) === running) underway.delete(key);
    });
    underway.set(key, running);
    return running;
  };
  return async (key) => {
    const current = underway.get(key);
    if (current === undefined) return await start(key);
    const waiting =
      next.get(key) ??
      current
        .catch(() => undefined)
        .then(() => {
          next.delete(key);
          return start(key);
        });
    next.set(key, waiting);
    return await waiting;
  };
}
