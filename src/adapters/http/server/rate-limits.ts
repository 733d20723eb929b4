import { addressGroup } from '#adapters/http/protocol/address-group.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';

/**
 * How often one address may send requests to one replica. The addresses of an IPv6 network with the same
 * first 64 bits count as one.
 */
export interface PublicRateLimits {
  /** How many requests an address may send at once after a pause. */
  burst: number;
  perSecond: number;
  /**
   * How many addresses are remembered. If there are more, the ones without a request for the longest time are
   * forgotten.
   */
  addresses: number;
}

/**
 * The limits for non-members who read public data. They are high enough for many viewers, because one address
 * may be a whole office, or a proxy that is not configured as trusted. Each view of a page counts twice, for
 * the page and its stream. Images are counted apart, with the same limits.
 */
export const PUBLIC_RATE_LIMITS: PublicRateLimits = { burst: 300, perSecond: 30, addresses: 20_000 };

/** The state of one address. */
interface Bucket {
  /** How many requests the address could still send at `updatedAt`. Can be a fraction. */
  remaining: number;
  /** In milliseconds. */
  updatedAt: number;
}

/**
 * Returns a function that throws a problem once an address has sent too many requests. Call it before any
 * look-up, so that the response reveals nothing about what exists. `now` returns milliseconds.
 */
export function limitByAddress(limits: PublicRateLimits, now: () => number): (address: string) => void {
  const { burst, perSecond, addresses } = limits;
  const buckets = new Map<string, Bucket>();
  return (address) => {
    const group = addressGroup(address);
    const requestedAt = now();
    const { remaining, updatedAt } = buckets.get(group) ?? { remaining: burst, updatedAt: requestedAt };
    const available = Math.min(burst, remaining + ((requestedAt - updatedAt) / 1000) * perSecond);
    const isRefused = available < 1;
    // A map keeps the order of insertion, so the address without a request for the longest time comes first.
    buckets.delete(group);
    buckets.set(group, { remaining: isRefused ? available : available - 1, updatedAt: requestedAt });
    for (const oldest of buckets.keys()) {
      if (buckets.size <= addresses) break;
      buckets.delete(oldest);
    }
    if (!isRefused) return;
    const wait = Math.max(1, Math.ceil((1 - available) / perSecond));
    const detail = 'Too many requests from your address without signing in. Try again in a moment.';
    throw new Problem('too-many-requests', detail, { retry_after: wait });
  };
}
