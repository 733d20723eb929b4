import type { DatabasePool } from 'slonik';
import { asAway, DatabaseAway } from './database-unavailable.ts';

/** Each of these takes a connection out of the pool, and gives it back when it is settled. */
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
  /** How many work with the pool at a time. */
  atOnce: number;
  /** How long one waits for its turn before it fails. */
  patienceMilliseconds: number;
}

/**
 * The pool, with a queue of our own before it. Slonik's own queue is never used: whoever waits in it when the
 * last connections break and no new one can be made is forgotten there, and is woken by the next comer at
 * best.
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
          // By the next turn of the event loop the connection is back in the pool.
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

  /** The place goes to whoever waits longest. */
  leave(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#inside -= 1;
  }
}
