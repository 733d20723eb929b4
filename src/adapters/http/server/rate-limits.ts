import { addressGroup } from '#adapters/http/protocol/address-group.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';

/** How often non-members may read public lists and pages, per address and replica. */
export interface PublicRateLimits {
  /** Requests at once, after a quiet time. */
  burst: number;
  perSecond: number;
  /** Addresses that are counted; the ones that were quiet for longest are dropped. */
  addresses: number;
}

/**
 * A page requests itself, its image and its stream. An address may be a whole office, or a proxy that is not
 * configured as trusted.
 */
export const PUBLIC_RATE_LIMITS: PublicRateLimits = { burst: 300, perSecond: 30, addresses: 20_000 };

/** How many requests an address may still make, as of a time in milliseconds. */
interface Bucket {
  remaining: number;
  updatedAt: number;
}

/**
 * Returns a check that throws a problem once an address has made too many requests. Call it before anything
 * is looked up, so that the response reveals nothing about what exists. `now` is in milliseconds.
 */
export function limitByAddress(limits: PublicRateLimits, now: () => number): (address: string) => void {
  const { burst, perSecond, addresses } = limits;
  const buckets = new Map<string, Bucket>();
  return (address) => {
    const group = addressGroup(address);
    const requestedAt = now();
    const { remaining, updatedAt } = buckets.get(group) ?? { remaining: burst, updatedAt: requestedAt };
    const filled = Math.min(burst, remaining + ((requestedAt - updatedAt) / 1000) * perSecond);
    const isRefused = filled < 1;
    // A map keeps the order of insertion: the least recent address comes first.
    buckets.delete(group);
    buckets.set(group, { remaining: isRefused ? filled : filled - 1, updatedAt: requestedAt });
    for (const oldest of buckets.keys()) {
      if (buckets.size <= addresses) break;
      buckets.delete(oldest);
    }
    if (!isRefused) return;
    const wait = Math.max(1, Math.ceil((1 - filled) / perSecond));
    const detail = 'Too many requests from your address without signing in. Try again in a moment.';
    throw new Problem('too-many-requests', detail, { retry_after: wait });
  };
}
