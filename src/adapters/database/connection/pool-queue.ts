import type { DatabasePool } from 'slonik';
import { asUnavailable, DatabaseUnavailable } from './database-unavailable.ts';

/** Methods that take a connection out of the pool until they settle. */
const CONNECTION_METHODS: ReadonlySet<PropertyKey> = new Set<keyof DatabasePool>([
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

export interface CallLimits {
  /** Calls that may use the pool at a time. */
  maxCalls: number;
  /** How long a call waits before it fails. */
  timeoutMilliseconds: number;
}

/**
 * Puts our own queue before the pool, so that slonik's queue is never used. Slonik forgets its waiters when
 * the last connections break and no new one can be opened.
 */
export function limitCalls(pool: DatabasePool, limits: CallLimits): DatabasePool {
  const queue = new Queue(limits);
  return new Proxy(pool, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (!CONNECTION_METHODS.has(name) || typeof method !== 'function') return method;
      return async (...given: unknown[]): Promise<unknown> => {
        await queue.enter();
        try {
          const result: unknown = await Reflect.apply(method, target, given);
          return result;
        } catch (error) {
          throw asUnavailable(error);
        } finally {
          // Slonik returns the connection to the pool before the next turn of the event loop.
          setImmediate(() => queue.leave());
        }
      };
    },
  });
}

class Queue {
  readonly #limits: CallLimits;
  readonly #waiting = new Set<() => void>();
  #inside = 0;

  constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  async enter(): Promise<void> {
    if (this.#inside < this.#limits.maxCalls) {
      this.#inside += 1;
      return;
    }
    const { maxCalls, timeoutMilliseconds } = this.#limits;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const limit = setTimeout(() => {
      this.#waiting.delete(resolve);
      const why = `all ${maxCalls} connections were in use for ${timeoutMilliseconds / 1000} s`;
      reject(new DatabaseUnavailable(`The database does not answer, or is too slow: ${why}.`));
    }, timeoutMilliseconds);
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
