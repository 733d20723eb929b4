import { isActive, isGood, type BuildStatus } from '#domain/scheduling/build-changes.ts';

/** How much history a team keeps. If a limit is absent, there is none. */
export interface Retention {
  /** How many of the newest builds of each job stay. */
  builds?: number;
  /** How many days builds stay after their end, and versions after they were found. */
  days?: number;
  /** How many good builds of each job stay, however old they are. Absent: 1. */
  minimumSucceeded?: number;
}

const DEFAULT_RETENTION: Required<Retention> = { builds: 500, days: 365, minimumSucceeded: 1 };

/** A team's retention, with the defaults for fields that the team leaves out. */
export function retentionOf(policy: Retention): Required<Retention> {
  return { ...DEFAULT_RETENTION, ...policy };
}

/** A batch of the oldest builds of a job, and what protects them. */
export interface RetainFacts {
  policy: Retention;
  now: number;
  /** Oldest first. */
  builds: OldBuild[];
  /** Row id of the oldest of the newest `policy.builds` builds. Absent: the job has fewer. */
  oldestRetained?: number;
  /** Row id of the oldest of the newest `policy.minimumSucceeded` good builds. Absent: the job has fewer. */
  oldestGoodRetained?: number;
  /** Pinned versions. */
  pinned: ReadonlySet<number>;
  /** Builds of the job whose versions downstream jobs would take now (`buildsNeededDownstream`). */
  neededDownstream: ReadonlySet<number>;
}

export interface OldBuild {
  id: number;
  status: BuildStatus;
  /** Milliseconds since 1970. Absent: the build has not ended. */
  endedAt?: number;
  inputs: readonly OldVersionTaken[];
  outputs: readonly OldVersionTaken[];
}

interface OldVersionTaken {
  /** The check scope of the version. */
  scope: number;
  version: number;
}

/**
 * Why a build stays. `active`: it has not ended. `limits`: it is within the limits of the policy. `good`: it
 * is one of the good builds that always stay. `pinned`: it took or made a pinned version. `passed`:
 * downstream jobs would take its versions now.
 */
type RetainReason = 'active' | 'limits' | 'good' | 'pinned' | 'passed';

export interface RetainDecision {
  /** Builds to remove, with everything that belongs to them. */
  remove: number[];
  /**
   * Builds that are beyond the limits, and stay because of `pinned` or `passed`: only their logs are removed.
   */
  removeLogs: number[];
  retained: { build: number; because: RetainReason }[];
  /**
   * For each scope, the version to which the baselines of the job's gets must be raised before the builds are
   * removed. Otherwise the versions of these builds would count as unused.
   */
  baselines: OldVersionTaken[];
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Which old builds of a job to remove. After a crash during the removal, the next decision removes what is
 * left.
 */
export function retainBuilds(facts: RetainFacts): RetainDecision {
  const decision: RetainDecision = { remove: [], removeLogs: [], retained: [], baselines: [] };
  const newest = new Map<number, number>();
  for (const build of facts.builds) {
    const because = whyRetained(build, facts);
    if (because === undefined) {
      decision.remove.push(build.id);
      for (const { scope, version } of build.inputs)
        newest.set(scope, Math.max(newest.get(scope) ?? 0, version));
      continue;
    }
    decision.retained.push({ build: build.id, because });
    if (!withinPolicy(because)) decision.removeLogs.push(build.id);
  }
  decision.baselines = [...newest].map(([scope, version]) => ({ scope, version }));
  return decision;
}

/**
 * Whether the last build of the batch is within the limits. Then all newer builds are, too. `newestSeen`: row
 * id of the last build of the batch.
 */
export function isRestRetained(newestSeen: number | undefined, { retained }: RetainDecision): boolean {
  const last = retained.at(-1);
  return last?.because === 'limits' && last.build === newestSeen;
}

function withinPolicy(because: RetainReason): boolean {
  return because === 'active' || because === 'limits' || because === 'good';
}

function whyRetained(build: OldBuild, facts: RetainFacts): RetainReason | undefined {
  if (isActive(build.status) || build.endedAt === undefined) return 'active';
  if (isWithinLimits(build, build.endedAt, facts)) return 'limits';
  if (
    isGood(build.status) &&
    isAmongNewest(build.id, facts.oldestGoodRetained, facts.policy.minimumSucceeded ?? 1)
  )
    return 'good';
  const versions = [...build.inputs, ...build.outputs].map(({ version }) => version);
  if (versions.some((version) => facts.pinned.has(version))) return 'pinned';
  return facts.neededDownstream.has(build.id) ? 'passed' : undefined;
}

/** Whether a build is within all limits that are set. */
function isWithinLimits(
  { id }: OldBuild,
  endedAt: number,
  { policy, now, oldestRetained }: RetainFacts,
): boolean {
  const isAmongRetained = policy.builds === undefined || isAmongNewest(id, oldestRetained, policy.builds);
  const isYoung = policy.days === undefined || endedAt > now - policy.days * DAY_MS;
  return isAmongRetained && isYoung;
}

/**
 * Whether a build is among the newest `count` builds. `oldest`: the oldest of them; undefined: there are
 * fewer.
 */
function isAmongNewest(id: number, oldest: number | undefined, count: number): boolean {
  return count > 0 && (oldest === undefined || id >= oldest);
}

export interface OldVersion {
  id: number;
  foundAt: number;
  /** A build that still exists took or made the version. */
  inUse: boolean;
}

/** A batch of the oldest versions of a resource, and what protects them. */
export interface VersionRetainFacts {
  policy: Retention;
  now: number;
  /** Oldest first. */
  versions: OldVersion[];
  pinned?: number;
  /** The newest version and the newest enabled one: the next check and the next build start from them. */
  newest: readonly number[];
  /**
   * Lowest baseline of the triggers that take every version of the resource: newer versions still get a
   * build.
   */
  lowestBaseline?: number;
}

/**
 * Versions whose fields can be removed. Their digests stay, so that a version is not new again if a later
 * check prints it, as checks of open pull requests and tags do.
 */
export function removableVersions({ policy, now, ...facts }: VersionRetainFacts): number[] {
  const { days } = policy;
  if (days === undefined) return [];
  const retained = new Set([...facts.newest, facts.pinned]);
  return facts.versions
    .filter(({ foundAt, inUse }) => !inUse && foundAt <= now - days * DAY_MS)
    .filter(({ id }) => !retained.has(id) && id <= (facts.lowestBaseline ?? id))
    .map(({ id }) => id);
}

/** Whether no version of the batch is old enough to be removed. Then no newer version is, either. */
export function areAllYoung({ versions, policy, now }: VersionRetainFacts): boolean {
  const { days = Infinity } = policy;
  return versions.every(({ foundAt }) => foundAt > now - days * DAY_MS);
}
