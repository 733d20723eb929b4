/** Thrown instead of a call or of its result: simulates `kill -9` right before or right after the call. */
export class Crash extends Error {}

/**
 * One process. `crashes` is called before and after each counted call and decides whether the process crashes
 * there. A dead process makes no more counted calls.
 */
export class TestProcess {
  dead = false;
  readonly #crashes: () => boolean;

  constructor(crashes: () => boolean) {
    this.#crashes = crashes;
  }

  /** The same port, used by this process. Methods in `uncounted` never crash. */
  of<T extends object>(port: T, uncounted: readonly PropertyKey[] = []): T {
    return new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        if (uncounted.includes(name))
          return (...args: unknown[]): unknown => Reflect.apply(method, target, args);
        return async (...args: unknown[]): Promise<unknown> => {
          this.#step();
          const answer: unknown = await Reflect.apply(method, target, args);
          this.#step();
          return answer;
        };
      },
    });
  }

  #step(): void {
    this.dead ||= this.#crashes();
    if (this.dead) throw new Crash();
  }
}
