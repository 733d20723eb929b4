import { staleCaches } from '#domain/planning/stale-cache-volumes.ts';
import type { CacheClaims, FoundClaim, RemovableCaches } from './cache-ports.ts';

export interface RemoveCachesPorts {
  caches: RemovableCaches;
  claims: CacheClaims;
}

/**
 * Removes caches that no resource or job has any more, and the volumes of cleared caches. Kubernetes keeps a
 * volume until no Pod mounts it.
 */
export async function removeCaches({ caches, claims }: RemoveCachesPorts): Promise<FoundClaim[]> {
  // The row of a cache is stored before its claim is created. So claims are read before rows: each claim that
  // was found has its row among those that are read.
  const existing = await claims.found();
  const known = (await caches.knownCaches()).map((cache) => ({ ...cache, claim: claims.nameOf(cache) }));
  const stale = staleCaches(known, existing);
  if (stale.caches.length > 0) await caches.removeCaches(stale.caches);
  for (const claim of stale.claims) await claims.delete(claim);
  return stale.claims;
}
