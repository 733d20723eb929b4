import { Problem } from '#adapters/http/protocol/problem.ts';

/**
 * Refused calls from one address, at once and in the long run. A Pod's address is its own; an agent is
 * refused once and ends.
 */
export const MAX_REFUSED_CALLS = 20;
export const REFUSED_CALLS_PER_SECOND = 0.5;
/** Limits memory: beyond this, the addresses that changed longest ago are forgotten. */
const MAX_ADDRESSES = 10_000;

interface Bucket {
  left: number;
  at: number;
}

/** Ends the call. `refused`: its credential was unknown. */
type Settle = (refused: boolean) => void;

/**
 * Limits calls with unknown credentials, by address. Each of them costs a request to the API server or a
 * query, so one Pod could otherwise keep the agents of other teams out.
 */
export class RefusedCalls {
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /**
   * Counts a call as refused until it is settled, so that calls at the same time cannot all pass. `weight`:
   * as how many refused calls it counts meanwhile. Throws the problem if too many were refused.
   */
  begin(address: string, weight = 1): Settle {
    const left = this.#left(address);
    if (left < weight) throw tooManyRefused(weight - left);
    this.#add(address, -weight);
    return (refused) => this.#add(address, refused ? weight - 1 : weight);
  }

  #add(address: string, change: number): void {
    const left = this.#left(address) + change;
    this.#buckets.delete(address);
    if (left >= MAX_REFUSED_CALLS) return;
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

function tooManyRefused(missing: number): Problem {
  const detail = 'Too many calls from this address were refused. Try again later.';
  return new Problem('too-many-requests', detail, {
    retry_after: Math.ceil(missing / REFUSED_CALLS_PER_SECOND),
  });
}
