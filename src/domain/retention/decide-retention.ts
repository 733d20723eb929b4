import { isActive, isGood, type BuildStatus } from '#domain/scheduling/build-changes.ts';

/** How much history a team keeps. An absent limit is no limit. */
export interface Retention {
  /** Builds of each job: the newest ones. */
  builds?: number;
  days?: number;
  /** Good builds of each job that stay, however old. Absent: 1. */
  minimumSucceeded?: number;
}

const DEFAULT_RETENTION: Required<Retention> = { builds: 500, days: 365, minimumSucceeded: 1 };

/** A team's retention, with the defaults for what it leaves out. */
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
  /** The same for good builds and `policy.minimumSucceeded`. */
  oldestGoodRetained?: number;
  /** Pinned versions. */
  pinned: ReadonlySet<number>;
  /** Builds of the job whose versions downstream jobs would take now (`buildsNeededDownstream`). */
  neededDownstream: ReadonlySet<number>;
}

export interface OldBuild {
  id: number;
  status: BuildStatus;
  /** Milliseconds. Absent: it has not ended. */
  endedAt?: number;
  inputs: readonly OldVersionTaken[];
  outputs: readonly OldVersionTaken[];
}

interface OldVersionTaken {
  /** The check scope of the version. */
  scope: number;
  version: number;
}

/** Why a build stays. `limits`: the limits of the policy keep it. */
type Keep = 'active' | 'limits' | 'good' | 'pinned' | 'passed';

export interface RetainDecision {
  /** Builds to remove, with everything that belongs to them. */
  remove: number[];
  /** Builds beyond the limits that are needed: only their logs go. */
  removeLogs: number[];
  retained: { build: number; because: Keep }[];
  /**
   * First, the baselines of the job's gets of the scope rise to this version. Otherwise it would count as
   * unused.
   */
  baselines: OldVersionTaken[];
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Which old builds of a job to remove. Deciding again after a crash gives the same. */
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

/** The last build of the batch is within the limits, so all newer ones are, too. */
export function isRestRetained(newestSeen: number | undefined, { retained }: RetainDecision): boolean {
  const last = retained.at(-1);
  return last?.because === 'limits' && last.build === newestSeen;
}

function withinPolicy(because: Keep): boolean {
  return because === 'active' || because === 'limits' || because === 'good';
}

function whyRetained(build: OldBuild, facts: RetainFacts): Keep | undefined {
  if (isActive(build.status) || build.endedAt === undefined) return 'active';
  if (isWithinLimits(build, build.endedAt, facts)) return 'limits';
  if (isGood(build.status) && isAmong(build.id, facts.oldestGoodRetained, facts.policy.minimumSucceeded ?? 1))
    return 'good';
  const versions = [...build.inputs, ...build.outputs].map(({ version }) => version);
  if (versions.some((version) => facts.pinned.has(version))) return 'pinned';
  return facts.neededDownstream.has(build.id) ? 'passed' : undefined;
}

/** Within all limits that are set. */
function isWithinLimits(
  { id }: OldBuild,
  endedAt: number,
  { policy, now, oldestRetained }: RetainFacts,
): boolean {
  const few = policy.builds === undefined || isAmong(id, oldestRetained, policy.builds);
  const young = policy.days === undefined || endedAt > now - policy.days * DAY_MS;
  return few && young;
}

/** Among the newest `count` builds, of which `oldest` is the last. */
function isAmong(id: number, oldest: number | undefined, count: number): boolean {
  return count > 0 && (oldest === undefined || id >= oldest);
}

/** A batch of the oldest versions of a resource. */
export interface OldVersion {
  id: number;
  foundAt: number;
  /** A remaining build took or made it. */
  inUse: boolean;
}

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
 * Versions whose fields may go. Their digests stay, so that a check that prints one again does not make it
 * new: checks of open pull requests and tags do so.
 */
export function retainVersions({ policy, now, ...facts }: VersionRetainFacts): number[] {
  const { days } = policy;
  if (days === undefined) return [];
  const retained = new Set([...facts.newest, facts.pinned]);
  return facts.versions
    .filter(({ foundAt, inUse }) => !inUse && foundAt <= now - days * DAY_MS)
    .filter(({ id }) => !retained.has(id) && id <= (facts.lowestBaseline ?? id))
    .map(({ id }) => id);
}

/** No version is old enough to go, so none that was found later is. */
export function areAllYoung({ versions, policy, now }: VersionRetainFacts): boolean {
  const { days = Infinity } = policy;
  return versions.every(({ foundAt }) => foundAt > now - days * DAY_MS);
}
