import { Problem } from '#adapters/http/protocol/problem.ts';

/**
 * How many refused calls one address may make at once, and how many per second in the long run. Few are
 * enough, because each Pod has an address of its own, and an agent ends after one refused call.
 */
export const MAX_REFUSED_CALLS = 20;
export const REFUSED_CALLS_PER_SECOND = 0.5;
/** Limits memory: if there are more, the addresses that changed longest ago are forgotten. */
const MAX_ADDRESSES = 10_000;

interface Bucket {
  remaining: number;
  updatedAt: number;
}

/** Ends the call. `refused`: the server did not accept the credential of the call. */
type Settle = (refused: boolean) => void;

/**
 * Limits calls with invalid credentials by address. Each such call costs a request to the API server or a
 * query. Without a limit, one Pod could keep the server too busy for the agents of other teams.
 */
export class RefusedCalls {
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /**
   * Counts a call as refused until it is settled, so that calls at the same time cannot all pass. `weight`:
   * how many refused calls this call counts as until then. Throws a problem if too many calls were refused.
   */
  begin(address: string, weight = 1): Settle {
    const remaining = this.#remaining(address);
    if (remaining < weight) throw tooManyRefused(weight - remaining);
    this.#add(address, -weight);
    return (refused) => this.#add(address, refused ? weight - 1 : weight);
  }

  #add(address: string, change: number): void {
    const remaining = this.#remaining(address) + change;
    this.#buckets.delete(address);
    if (remaining >= MAX_REFUSED_CALLS) return;
    this.#buckets.set(address, { remaining, updatedAt: this.#now() });
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= MAX_ADDRESSES) break;
      this.#buckets.delete(oldest);
    }
  }

  #remaining(address: string): number {
    const bucket = this.#buckets.get(address);
    if (bucket === undefined) return MAX_REFUSED_CALLS;
    const refilled = ((this.#now() - bucket.updatedAt) / 1000) * REFUSED_CALLS_PER_SECOND;
    return Math.min(MAX_REFUSED_CALLS, bucket.remaining + refilled);
  }
}

function tooManyRefused(missing: number): Problem {
  const detail = 'Too many calls from this address were refused. Try again later.';
  return new Problem('too-many-requests', detail, {
    retry_after: Math.ceil(missing / REFUSED_CALLS_PER_SECOND),
  });
}
