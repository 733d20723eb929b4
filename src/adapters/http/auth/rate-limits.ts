import { addressGroup } from '#adapters/http/protocol/address-group.ts';
import { Problem } from '#adapters/http/protocol/problem.ts';

/** How much strangers may read of lists and pages, from one address at one replica. */
export interface StrangerLimits {
  /** At once, after a time of quiet. */
  burst: number;
  perSecond: number;
  /** So many addresses are remembered; those that were quiet for longest are forgotten. */
  addresses: number;
}

/**
 * A page asks for itself, its picture and its stream; an address may be a whole office, or a proxy that
 * nobody named.
 */
export const STRANGER_LIMITS: StrangerLimits = { burst: 300, perSecond: 30, addresses: 20_000 };

interface Bucket {
  left: number;
  at: number;
}

/**
 * Throws the problem when an address has asked for too much. It is asked before anything is looked for, so
 * that it tells nothing of what there is.
 */
export function limitStrangers(limits: StrangerLimits, now: () => number): (address: string) => void {
  const { burst, perSecond, addresses } = limits;
  const buckets = new Map<string, Bucket>();
  return (address) => {
    const group = addressGroup(address);
    const at = now();
    const { left, at: before } = buckets.get(group) ?? { left: burst, at };
    const filled = Math.min(burst, left + ((at - before) / 1000) * perSecond);
    const refused = filled < 1;
    // Asked last, forgotten last.
    buckets.delete(group);
    buckets.set(group, { left: refused ? filled : filled - 1, at });
    for (const oldest of buckets.keys()) {
      if (buckets.size <= addresses) break;
      buckets.delete(oldest);
    }
    if (!refused) return;
    const wait = Math.max(1, Math.ceil((1 - filled) / perSecond));
    const detail = 'Too much was asked for from your address without signing in. Try again in a moment.';
    throw new Problem('too-many-requests', detail, { retry_after: wait });
  };
}
