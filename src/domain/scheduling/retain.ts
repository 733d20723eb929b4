import { isActive, isGood, type Status } from './build-changes.ts';

/** What a team wants to keep; a limit that is absent is none. */
export interface Retention {
  /** Newest builds of each job. */
  builds?: number;
  days?: number;
  /** Newest good builds of each job, however old; absent: 1. */
  minimumSucceeded?: number;
}

/** History is limited unless a team says otherwise. */
const DEFAULT_RETENTION: Required<Retention> = { builds: 500, days: 365, minimumSucceeded: 1 };

/** A team's retention, with defaults for what it leaves out. */
export function retentionOf(policy: Retention): Required<Retention> {
  return { ...DEFAULT_RETENTION, ...policy };
}

/** The oldest builds of a job that are still there, some at a time, and what protects them. */
export interface RetainFacts {
  policy: Retention;
  now: number;
  /** Oldest first. */
  builds: OldBuild[];
  /** Row id of the oldest build among as many newest ones as the policy keeps; absent: there are fewer. */
  oldestKept?: number;
  /** The same for the newest good ones. */
  oldestGoodKept?: number;
  /** Versions that are pinned. */
  pinned: ReadonlySet<number>;
  /** Builds of the job that vouch for what downstream jobs would take now (`vouchers`). */
  vouching: ReadonlySet<number>;
}

export interface OldBuild {
  id: number;
  status: Status;
  /** Milliseconds; absent: it has not ended. */
  endedAt?: number;
  inputs: readonly OldVersionTaken[];
  outputs: readonly OldVersionTaken[];
}

interface OldVersionTaken {
  /** The history that the version is of. */
  scope: number;
  version: number;
}

/** Why a build stays; `limits`: it is among those that the policy keeps. */
type Keep = 'active' | 'limits' | 'good' | 'pinned' | 'passed';

export interface RetainDecision {
  /** With everything that hangs on them. */
  remove: number[];
  /** Beyond the limits but needed: their logs go, what they took and made stays. */
  removeLogs: number[];
  kept: { build: number; because: Keep }[];
  /**
   * Baselines of the job's gets of the history rise to this version first, or it would count as never built.
   */
  baselines: OldVersionTaken[];
}

const DAY = 24 * 60 * 60 * 1000;

/** Which old builds of a job go. Repeating it after a crash decides the same. */
export function retainBuilds(facts: RetainFacts): RetainDecision {
  const decision: RetainDecision = { remove: [], removeLogs: [], kept: [], baselines: [] };
  const newest = new Map<number, number>();
  for (const build of facts.builds) {
    const because = whyKept(build, facts);
    if (because === undefined) {
      decision.remove.push(build.id);
      for (const { scope, version } of build.inputs)
        newest.set(scope, Math.max(newest.get(scope) ?? 0, version));
      continue;
    }
    decision.kept.push({ build: build.id, because });
    if (!withinPolicy(because)) decision.removeLogs.push(build.id);
  }
  decision.baselines = [...newest].map(([scope, version]) => ({ scope, version }));
  return decision;
}

/** Builds younger than one that the limits keep are kept by them too. */
export function isLastToLookAt(newestSeen: number | undefined, { kept }: RetainDecision): boolean {
  const last = kept.at(-1);
  return last?.because === 'limits' && last.build === newestSeen;
}

function withinPolicy(because: Keep): boolean {
  return because === 'active' || because === 'limits' || because === 'good';
}

function whyKept(build: OldBuild, facts: RetainFacts): Keep | undefined {
  if (isActive(build.status) || build.endedAt === undefined) return 'active';
  if (isWithinLimits(build, build.endedAt, facts)) return 'limits';
  if (isGood(build.status) && isAmong(build.id, facts.oldestGoodKept, facts.policy.minimumSucceeded ?? 1))
    return 'good';
  const versions = [...build.inputs, ...build.outputs].map(({ version }) => version);
  if (versions.some((version) => facts.pinned.has(version))) return 'pinned';
  return facts.vouching.has(build.id) ? 'passed' : undefined;
}

/** A limit is a limit: who is beyond one of those that are set is beyond. */
function isWithinLimits(
  { id }: OldBuild,
  endedAt: number,
  { policy, now, oldestKept }: RetainFacts,
): boolean {
  const few = policy.builds === undefined || isAmong(id, oldestKept, policy.builds);
  const young = policy.days === undefined || endedAt > now - policy.days * DAY;
  return few && young;
}

/** Among the newest `count`, of which `oldest` is the last. */
function isAmong(id: number, oldest: number | undefined, count: number): boolean {
  return count > 0 && (oldest === undefined || id >= oldest);
}

/** The oldest versions of a resource that are still there, some at a time. */
export interface OldVersion {
  id: number;
  foundAt: number;
  /** A build that is kept took or made it. */
  inUse: boolean;
}

export interface VersionRetainFacts {
  policy: Retention;
  now: number;
  /** Oldest first. */
  versions: OldVersion[];
  pinned?: number;
  /** Newest one, and newest enabled one: what the next check and the next build begin with. */
  newest: readonly number[];
  /**
   * Lowest baseline of the triggers that take every version of the resource: newer ones still get a build.
   */
  lowestBaseline?: number;
}

/**
 * Versions whose fields may go. Their digests stay: a check that tells of one again, as those of open pull
 * requests and tags do, must not make it new.
 */
export function retainVersions({ policy, now, ...facts }: VersionRetainFacts): number[] {
  const { days } = policy;
  if (days === undefined) return [];
  const kept = new Set([...facts.newest, facts.pinned]);
  return facts.versions
    .filter(({ foundAt, inUse }) => !inUse && foundAt <= now - days * DAY)
    .filter(({ id }) => !kept.has(id) && id <= (facts.lowestBaseline ?? id))
    .map(({ id }) => id);
}

/** None is old enough to go, so neither is any that was found later. */
export function areYoung({ versions, policy, now }: VersionRetainFacts): boolean {
  const { days = Infinity } = policy;
  return versions.every(({ foundAt }) => foundAt > now - days * DAY);
}
