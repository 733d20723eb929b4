import type { DatabasePool } from 'slonik';
import { asAway, DatabaseAway } from './database-unavailable.ts';

/** Methods that take a connection out of the pool until they settle. */
const TAKERS: ReadonlySet<PropertyKey> = new Set<keyof DatabasePool>([
  'any',
  'anyFirst',
  'connect',
  'exists',
  'many',
  'manyFirst',
  'maybeOne',
  'maybeOneFirst',
  'one',
  'oneFirst',
  'query',
  'transaction',
]);

export interface Turns {
  /** Calls that may use the pool at a time. */
  atOnce: number;
  /** How long a call waits before it fails. */
  patienceMilliseconds: number;
}

/**
 * Puts our own queue before the pool, so that slonik's queue is never used. Slonik forgets its waiters when
 * the last connections break and no new one can be opened.
 */
export function takeTurns(pool: DatabasePool, turns: Turns): DatabasePool {
  const queue = new Queue(turns);
  return new Proxy(pool, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (!TAKERS.has(name) || typeof method !== 'function') return method;
      return async (...given: unknown[]): Promise<unknown> => {
        await queue.enter();
        try {
          const result: unknown = await Reflect.apply(method, target, given);
          return result;
        } catch (error) {
          throw asAway(error);
        } finally {
          // Slonik returns the connection to the pool before the next turn of the event loop.
          setImmediate(() => queue.leave());
        }
      };
    },
  });
}

class Queue {
  readonly #turns: Turns;
  readonly #waiting = new Set<() => void>();
  #inside = 0;

  constructor(turns: Turns) {
    this.#turns = turns;
  }

  async enter(): Promise<void> {
    if (this.#inside < this.#turns.atOnce) {
      this.#inside += 1;
      return;
    }
    const { atOnce, patienceMilliseconds } = this.#turns;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const limit = setTimeout(() => {
      this.#waiting.delete(resolve);
      const why = `all ${atOnce} connections were in use for ${patienceMilliseconds / 1000} s`;
      reject(new DatabaseAway(`The database does not answer, or is too slow: ${why}.`));
    }, patienceMilliseconds);
    await promise.finally(() => clearTimeout(limit));
  }

  /** Hands the place to the call that has waited longest. */
  leave(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#inside -= 1;
  }
}
