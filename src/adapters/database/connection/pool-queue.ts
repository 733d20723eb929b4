import type { DatabasePool } from 'slonik';
import { asUnavailable, DatabaseUnavailable } from './database-unavailable.ts';

/** Methods that take a connection out of the pool until their promise settles. */
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
  /** How long a call waits for its slot before it fails with `DatabaseUnavailable`. */
  timeoutMilliseconds: number;
}

/**
 * Puts a queue before the pool, so that no call waits in slonik's own queue. Calls in that queue would never
 * settle if the last connections broke and no new one could be opened.
 */
export function limitCalls(pool: DatabasePool, limits: CallLimits): DatabasePool {
  const queue = new CallQueue(limits);
  return new Proxy(pool, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (!CONNECTION_METHODS.has(name) || typeof method !== 'function') return method;
      return async (...methodArguments: unknown[]): Promise<unknown> => {
        await queue.enter();
        try {
          const result: unknown = await Reflect.apply(method, target, methodArguments);
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

class CallQueue {
  readonly #limits: CallLimits;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(limits: CallLimits) {
    this.#limits = limits;
  }

  async enter(): Promise<void> {
    if (this.#running < this.#limits.maxCalls) {
      this.#running += 1;
      return;
    }
    const { maxCalls, timeoutMilliseconds } = this.#limits;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    const timer = setTimeout(() => {
      this.#waiting.delete(resolve);
      const cause = `all ${maxCalls} connections were in use for ${timeoutMilliseconds / 1000} s`;
      reject(new DatabaseUnavailable(`The database does not answer, or is too slow: ${cause}.`));
    }, timeoutMilliseconds);
    await promise.finally(() => clearTimeout(timer));
  }

  /** Hands the slot to the call that has waited longest. */
  leave(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#running -= 1;
  }
}
