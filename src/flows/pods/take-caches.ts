import { defined } from '#defined';
import { cacheFolder, type CacheNeed, type CacheUse } from '#domain/planning/cache-volumes.ts';
import { decideCaches } from '#domain/planning/decide-cache-volumes.ts';
import type { CacheClaim, CacheStore, CacheUser, PodCache } from './cache-ports.ts';
import type { Cluster } from './ports.ts';

export interface TakeCachesPorts {
  cluster: Pick<Cluster, 'teamPods' | 'prepareClaim'>;
  caches: CacheStore;
  now: () => Date;
}

/** The caches that a new Pod needs. */
export interface CachesToTake {
  user: CacheUser;
  owner: Pick<CacheClaim, 'team' | 'namespace' | 'pipeline'>;
  needs: readonly CacheNeed[];
}

/**
 * Decides which caches a Pod mounts, and creates their PersistentVolumeClaims. The decision is recorded, so
 * that the same Pod gets the same caches after a crash. If the Team has no volumes for caches, the Pod mounts
 * none, and nothing is recorded for caches of built-in types: the author of the pipeline may not know of
 * them.
 */
export async function takeCaches(
  { user, owner, needs }: CachesToTake,
  { cluster, caches, now }: TakeCachesPorts,
): Promise<PodCache[]> {
  const settings = cluster.teamPods(owner.team)?.caches;
  const needed = settings === undefined ? needs.filter(({ byDefault }) => !byDefault) : needs;
  if (needed.length === 0) return [];
  const teamWithoutVolumes = settings === undefined ? owner.team : undefined;
  const resources = needed.map(({ resource }) => resource);
  const uses = await caches.withCaches(user, resources, async (tx): Promise<CacheUse[]> => {
    const earlier = await tx.uses();
    if (earlier.length > 0) return earlier;
    const decided = decideCaches({ ...(await tx.facts()), ...defined({ teamWithoutVolumes }) }, now());
    await tx.use(decided, now());
    return decided;
  });
  const mounted: PodCache[] = [];
  for (const { leftOut, ...use } of uses) {
    const need = needs.find(({ resource }) => resource === use.resource);
    if (settings === undefined || leftOut !== undefined || need === undefined) continue;
    const claim = await cluster.prepareClaim({ ...use, ...owner, settings });
    if (claim.answer === 'ready')
      mounted.push({ ...use, folder: cacheFolder(owner, use.resource), containers: need.containers });
    else await caches.leaveOut(user, { ...use, leftOut: { reason: 'Refused', message: claim.message } });
  }
  return mounted;
}
