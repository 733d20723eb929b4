/** A cache of a live pipeline. */
interface KnownCache {
  cache: number;
  namespace: string;
  /** Name of its claim, of the current generation. */
  claim: string | undefined;
  /** The pipeline still has the cache. */
  wanted: boolean;
  /** A build or check uses the cache at the moment. */
  used: boolean;
}

interface Claim {
  namespace: string;
  name: string;
}

/**
 * Row ids of caches that their pipeline no longer has and nothing uses, and claims that are not the current
 * claim of a remaining cache.
 */
export function staleCaches<T extends Claim>(
  known: readonly KnownCache[],
  existing: readonly T[],
): { caches: number[]; claims: T[] } {
  const stale = known.filter(({ wanted, used }) => !wanted && !used);
  const current = new Set(
    known.filter((cache) => !stale.includes(cache)).map(({ namespace, claim }) => `${namespace}/${claim}`),
  );
  return {
    caches: stale.map(({ cache }) => cache),
    claims: existing.filter(({ namespace, name }) => !current.has(`${namespace}/${name}`)),
  };
}
