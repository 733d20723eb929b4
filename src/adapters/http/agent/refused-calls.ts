import { Problem } from '#adapters/http/protocol/problem.ts';

/**
 * Refused calls from one address, at once and in the long run. A Pod's address is its own; an agent is
 * refused once and ends.
 */
export const MAX_REFUSED_CALLS = 20;
export const REFUSED_CALLS_PER_SECOND = 0.5;
/** Addresses that are remembered; those that were refused longest ago are forgotten. */
const MAX_ADDRESSES = 10_000;

interface Bucket {
  left: number;
  at: number;
}

/**
 * Each call without a session costs a question at the API server or the database. Whoever was refused too
 * often is refused before that, so that one Pod cannot keep the agents of other teams out.
 */
export class RefusedCalls {
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /** Throws the problem when too many calls from there were refused. */
  admit(address: string): void {
    const left = this.#left(address);
    if (left >= 1) return;
    const wait = Math.ceil((1 - left) / REFUSED_CALLS_PER_SECOND);
    const detail = 'Too many calls from this address were refused. Try again later.';
    throw new Problem('too-many-requests', detail, { retry_after: wait });
  }

  refused(address: string): void {
    const left = this.#left(address) - 1;
    this.#buckets.delete(address);
    this.#buckets.set(address, { left, at: this.#now() });
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= MAX_ADDRESSES) break;
      this.#buckets.delete(oldest);
    }
  }

  #left(address: string): number {
    const bucket = this.#buckets.get(address);
    if (bucket === undefined) return MAX_REFUSED_CALLS;
    const filled = ((this.#now() - bucket.at) / 1000) * REFUSED_CALLS_PER_SECOND;
    return Math.min(MAX_REFUSED_CALLS, bucket.left + filled);
  }
}
