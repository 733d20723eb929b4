/** As `kill -9` does, at a call: before it was made, or after it was, so that nobody hears its answer. */
export class Crash extends Error {}

/**
 * One process. `dies` is asked before and after each call whether it is the last; a dead process makes no
 * more.
 */
export class Life {
  dead = false;
  readonly #dies: () => boolean;

  constructor(dies: () => boolean) {
    this.#dies = dies;
  }

  /** The same port, of this process. What it knows `byItself` is no call. */
  of<T extends object>(port: T, byItself: readonly PropertyKey[] = []): T {
    return new Proxy(port, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        if (byItself.includes(name))
          return (...given: unknown[]): unknown => Reflect.apply(method, target, given);
        return async (...given: unknown[]): Promise<unknown> => {
          this.#step();
          const answer: unknown = await Reflect.apply(method, target, given);
          this.#step();
          return answer;
        };
      },
    });
  }

  #step(): void {
    this.dead ||= this.#dies();
    if (this.dead) throw new Crash();
  }
}
