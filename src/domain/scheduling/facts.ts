import type { GivenInputs } from '#domain/pipeline/input-values.ts';
import type { Input } from '#domain/pipeline/pipeline.ts';

/**
 * Everything that a decision on builds depends on, gathered in one transaction under the pipeline's lock.
 *
 * Builds are row ids. Versions are places in the order of their resource: a larger place is newer. A place is
 * nearly always the row id of the version (see `ids`). Row ids tell which version was found first. All lists
 * except `used` hold versions of the current check scope only, and no disabled ones.
 *
 * What depends on history comes in pages from its newest end. A decision that needs an older page names it
 * (`NeededPage`) and is taken again with it.
 */
export interface Facts {
  /** The pipeline is paused. This only explains why its jobs are paused: the `paused` of each job decides. */
  paused: boolean;
  /** All resources that the jobs get. */
  resources: ResourceFacts[];
  /** The jobs to decide on, in any order. */
  jobs: JobFacts[];
  /** Good builds of the upstream jobs that `passed` names. */
  passes: GoodBuildPage[];
  /** Versions that builds of the jobs have used. */
  used: UsedVersionPage[];
  /** Row ids of versions, by place, where the two differ: a check printed an older version later. */
  ids?: ReadonlyMap<number, number>;
  /** Builds of the pipeline that have not started, counted up to `MAX_QUEUED_BUILDS`. Absent: 0. */
  queued?: number;
  /** No older pages will come: versions beyond the pages count as not passed, and as used. */
  exhausted?: boolean;
}

export interface ResourceFacts {
  id: number;
  name: string;
  /** Place. Absent: the resource has no version, or all are disabled. */
  newest?: number;
  /** The resource has disabled versions. */
  disabled?: boolean;
  /** Present while the resource has no version at all. */
  check?: CheckFacts;
  /** Present while `on_trigger` hooks of its newest versions run. */
  held?: HeldVersions;
  pinned?: {
    version: number;
    disabled: boolean;
    /**
     * The current check scope does not have the pinned version, so no get takes it. `version` is only
     * meaningful if `elsewhere` is set.
     */
    unknown?: boolean;
    /** The pinned version belongs to an earlier check scope. */
    elsewhere?: boolean;
  };
}

/** How a resource gets versions. Explains why it has none. */
export interface CheckFacts {
  /** `cron`: the times of the schedule are the versions. `stream`: puts and people emit them. */
  by: 'pod' | 'cron' | 'stream' | 'nothing';
  /** Checks start on a schedule. */
  scheduled: boolean;
  /** A check runs or is requested. */
  pending: boolean;
  /** Result of the last check. Absent: none has ended. */
  last?: 'succeeded' | 'failed';
}

/** Versions that automatic builds may not take yet, because their hooks are running. */
export interface HeldVersions {
  /** Row id. This version and all versions that were found later are held. */
  from: number;
  /** When builds stop waiting for the hooks. */
  until: Date;
  /** Place of the newest version that is not held. */
  newest?: number;
}

export interface JobFacts {
  id: number;
  name: string;
  paused: boolean;
  /** A new build cancels older builds of the same pull request or branch that have not ended. */
  interruptible?: boolean;
  /** Builds wait for people to approve them. */
  approval?: boolean;
  /** Inputs whose values a person may give in a manual trigger, in the order of the file. */
  inputs?: readonly Input[];
  /** In the order of the file. */
  gets: GetFacts[];
  /**
   * While this many automatic builds are open, the newest set waits, unless it supersedes one. Absent: one.
   */
  concurrency?: number;
  /** False: a newer set waits for a queued build instead of superseding it. */
  supersede?: boolean;
  /** The oldest `concurrency` automatic builds that have not ended, apart from those in `queued`. */
  active?: QueuedBuild[];
  /** Automatic builds of a newest set that wait for approval, for their turn or for their Pod. */
  queued?: QueuedBuild[];
  /** Requests of people that no build answers yet. */
  requests: BuildRequest[];
}

export interface QueuedBuild {
  id: number;
  number: string;
}

export interface GetFacts {
  resource: number;
  trigger: boolean;
  /** Upstream jobs. Empty: the get takes any version. */
  passed: { job: number; name: string }[];
  /** The get triggers a build for every version, not only for the newest one at the time of the decision. */
  every: boolean;
  /**
   * Versions up to this row id trigger nothing: they were found before the get became a trigger, or while the
   * job was paused.
   */
  baseline: number;
  /**
   * For triggers with `every`: the versions above the baseline, and not below the floor, that no build of the
   * job has used for this get. If the resource is pinned, at most the pinned version.
   *
   * Without `passed`: the `MAX_UNUSED_VERSIONS` + 1 that were found first. With `passed`: the oldest
   * `MAX_UNUSED_VERSIONS` that are good in each upstream job, among the `MAX_PASSED_VERSIONS` (or
   * `MAX_PASSED_WAITING`) newest good ones of the first upstream job.
   */
  unused: number[];
}

export interface BuildRequest {
  id: number;
  by: string;
  /** The values that the person gave to the job's inputs. They are not validated yet. */
  inputs?: GivenInputs;
  /** The person triggered the job with this version. */
  version?: { resource: number; version: number; disabled: boolean };
  /**
   * Only if the request cascades from a trigger upstream: how the builds of that trigger ended in the jobs of
   * `passed`.
   */
  after?: { job: number; good: boolean }[];
  /** Checks that the person requested before the build. */
  checks?: RequestedCheck[];
  /** Some of these checks are still running, and there is time left for them. */
  checking?: boolean;
}

/** `late`: the check had not ended when the build was decided. */
export interface RequestedCheck {
  resource: string;
  result: 'checked' | 'failed' | 'late';
  error?: string;
}

export interface ResourceVersion {
  resource: number;
  version: number;
}

/** A position in a list of good builds. The list is ordered by version, then by build, the newest first. */
export interface GoodBuildPosition {
  version: number;
  build: number;
}

/** Above every version and every build. */
export const NEWEST = Number.MAX_SAFE_INTEGER;

/**
 * A page of the list of good builds (succeeded or warning) of an upstream job that took or made a version of
 * the resource. It has no gap from `from` (absent: the newest) to its last row.
 */
export interface GoodBuildPage {
  upstream: number;
  resource: number;
  from?: GoodBuildPosition;
  rows: GoodBuild[];
  /** The list ends with the last row. */
  end: boolean;
}

/** A good build, and the version that it took or made. */
export interface GoodBuild extends GoodBuildPosition {
  /**
   * All versions that the build took or made of resources whose gets name this upstream job in `passed`.
   * Absent if every job has at most one such get.
   */
  also?: ResourceVersion[];
}

/**
 * A page of the versions (row ids) that builds of the job used for one get. The version found last comes
 * first. A build that was cancelled before it started, by a pin or by a disabled version, used nothing.
 */
export interface UsedVersionPage {
  job: number;
  /** Position of the get. */
  get: number;
  /** Absent: the newest. */
  from?: number;
  versions: number[];
  end: boolean;
}

/** A page that a decision cannot be taken without. */
export type NeededPage =
  | { kind: 'passes'; upstream: number; resource: number; from: GoodBuildPosition }
  | { kind: 'used'; job: number; get: number; from: number };

/**
 * Limit for the unused versions of one get that one decision turns into builds. The next decision takes the
 * others.
 */
export const MAX_UNUSED_VERSIONS = 100;
/** A get with `every` and `passed` looks for unused versions among this number of good versions. */
export const MAX_PASSED_VERSIONS = 1000;
/**
 * A get with `every` and `passed` looks among this number of good versions instead if the oldest
 * `PASSED_AT_EDGE` of the newest `MAX_PASSED_VERSIONS` are all unused. Then older ones may be unused, too.
 */
export const MAX_PASSED_WAITING = 10_000;
export const PASSED_AT_EDGE = 20;
/**
 * Rows per page, by round. The newest rows nearly always suffice, so the first page is small. After the last
 * round, the decision is taken with the pages that it has (`exhausted`).
 */
export const PAGE_ROWS = [20, 200, 2000, 2000, 2000] as const;
