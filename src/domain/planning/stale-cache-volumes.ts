/** A cache of a live pipeline. */
interface KnownCache {
  cache: number;
  namespace: string;
  /** Name of its claim, of the current generation. */
  claim: string | undefined;
  wanted: boolean;
  used: boolean;
}

interface Claim {
  namespace: string;
  name: string;
}

/** Caches that the pipeline has no more, and claims that belong to no cache. */
export function staleCaches<T extends Claim>(
  known: readonly KnownCache[],
  found: readonly T[],
): { caches: number[]; claims: T[] } {
  const stale = known.filter(({ wanted, used }) => !wanted && !used);
  const current = new Set(
    known.filter((cache) => !stale.includes(cache)).map(({ namespace, claim }) => `${namespace}/${claim}`),
  );
  return {
    caches: stale.map(({ cache }) => cache),
    claims: found.filter(({ namespace, name }) => !current.has(`${namespace}/${name}`)),
  };
}
