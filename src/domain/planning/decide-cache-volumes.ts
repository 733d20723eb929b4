import type { CacheUse } from './cache-volumes.ts';

/** How long a cache is left out after its volume kept a Pod waiting. */
export const MINUTES_AFTER_FAILURE = 10;

/**
 * Limit for the cache volumes of one team. A pipeline can define any number of resources with caches, and
 * would otherwise create as many volumes.
 */
export const MAX_VOLUMES_OF_TEAM = 200;

/** What is known when the Pod of a build or check is about to be created. */
export interface CacheFacts {
  caches: CacheState[];
  /** A version of the build is a pull request from a fork. */
  fork: boolean;
  /** An earlier Pod of the same build waited too long for its volumes. */
  waited: boolean;
  /** How many volumes the team has for caches. */
  volumes: number;
}

export interface CacheState {
  cache: number;
  generation: number;
  resource: string;
  hasVolume: boolean;
  /** The build that uses the cache at the moment, or `check` if a check does. */
  usedBy?: { job: string; number: string } | 'check';
  /** When the volume of the cache last kept a Pod waiting. */
  failedAt?: Date;
}

/**
 * Which caches a Pod mounts. A cache only saves time, so no Pod waits until one is free: a cache that is in
 * use, or whose volume recently kept a Pod waiting, is left out. `teamWithoutVolumes`: name of the team, if
 * it has no volumes for caches.
 */
export function decideCaches(
  { caches, ...facts }: CacheFacts & { teamWithoutVolumes?: string },
  now: Date,
): CacheUse[] {
  let { volumes } = facts;
  return caches.map((state) => {
    const { cache, generation, resource, hasVolume } = state;
    const leftOut = whyLeftOut(state, { ...facts, volumes }, now);
    if (leftOut === undefined && !hasVolume) volumes += 1;
    return { cache, generation, resource, ...(leftOut && { leftOut }) };
  });
}

/**
 * Why a Pod does not mount this cache. A pull request from a fork mounts none: its code could leave files in
 * the cache that builds of branches use later.
 */
function whyLeftOut(
  { usedBy, failedAt, hasVolume }: CacheState,
  {
    fork,
    waited,
    volumes,
    teamWithoutVolumes: team,
  }: Omit<CacheFacts, 'caches'> & { teamWithoutVolumes?: string },
  now: Date,
): CacheUse['leftOut'] {
  if (team !== undefined) return { reason: 'NotAllowed', message: `Team ${team} has no spec.cache.` };
  if (fork) return { reason: 'Fork', message: 'it runs a pull request from a fork.' };
  if (waited)
    return { reason: 'Waited', message: 'the volume was not ready in time, so the Pod was replaced.' };
  if (usedBy === 'check') return { reason: 'Busy', message: 'a check uses it.' };
  if (usedBy !== undefined)
    return { reason: 'Busy', message: `build ${usedBy.number} of job ${usedBy.job} uses it.` };
  if (!hasVolume && volumes >= MAX_VOLUMES_OF_TEAM)
    return { reason: 'TooMany', message: `the team has ${volumes} volumes of caches already.` };
  if (failedAt === undefined || minutesBetween(failedAt, now) >= MINUTES_AFTER_FAILURE) return undefined;
  const when = `${failedAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  const later = `${MINUTES_AFTER_FAILURE} minutes later`;
  const message = `its volume was not ready in time at ${when}; it is used again ${later}.`;
  return { reason: 'Unavailable', message };
}

function minutesBetween(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / 60_000;
}
