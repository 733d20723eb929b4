/**
 * Facts from which builds are decided: bounded, gathered in one transaction under the pipeline's lock. Builds
 * are row ids, and versions are places in the order of their resource: a larger one is newer. Nearly always a
 * place is the row id of the version (see `ids`), and ids tell which version was found first. Only versions
 * of the current check scope of a resource are listed. Disabled versions are left out of all lists. What
 * depends on history is given in pages from its newest end; a decision that needs an older page says which
 * (`Need`), and is taken again with it.
 */
export interface Facts {
  /** The pipeline is paused. It is its jobs' own pauses that count; this tells why they are. */
  paused: boolean;
  /** Those that gets of the jobs take. */
  resources: ResourceFacts[];
  /** Those that want a decision, in any order. */
  jobs: JobFacts[];
  passes: PassPage[];
  used: UsedPage[];
  /**
   * Row ids of versions, by place, where the two differ: a check printed them in another order than they were
   * found in.
   */
  ids?: ReadonlyMap<number, number>;
  /** Builds of the pipeline that have not started. Absent: none. */
  queued?: number;
  /** No older pages are to be had: what they would tell counts as not passed, and as used. */
  exhausted?: boolean;
}

export interface ResourceFacts {
  id: number;
  name: string;
  newest?: number;
  /** It has disabled versions. */
  disabled?: boolean;
  /** The `on_trigger` hooks of its newest versions have not ended. */
  held?: Held;
  pinned?: {
    version: number;
    disabled: boolean;
    /**
     * Its current history does not have the version, so nothing is taken. `version` means nothing, unless it
     * is of another history.
     */
    unknown?: boolean;
    /** The version is of another history of the resource. */
    elsewhere?: boolean;
  };
}

/** Versions that no automatic build may take yet. */
export interface Held {
  /** Row id: this one and all that were found later. */
  from: number;
  /** Builds wait no longer than that. */
  until: Date;
  /** The newest version that is not held. */
  newest?: number;
}

export interface JobFacts {
  id: number;
  name: string;
  paused: boolean;
  /** A new build takes the place of older ones that have not ended. */
  interruptible?: boolean;
  /** Builds wait for people before they start. */
  approval?: boolean;
  /** In the order of the file. */
  gets: GetFacts[];
  /** Automatic builds of the newest set at a time; absent: one. */
  concurrency?: number;
  /** False: a newer set waits for a queued build instead of taking its place. */
  supersede?: boolean;
  /**
   * Automatic builds of the job that have not ended, `queued` ones aside: the oldest, as many as
   * `concurrency` allows.
   */
  active?: QueuedBuild[];
  /**
   * Automatic builds of a newest set that have not begun: they wait for approval, for their turn or for their
   * Pod.
   */
  queued?: QueuedBuild[];
  /** Of people, that no build answers yet. */
  requests: BuildRequest[];
}

export interface QueuedBuild {
  id: number;
  number: string;
}

export interface GetFacts {
  resource: number;
  trigger: boolean;
  /** Upstream jobs; empty: any version will do. */
  passed: { job: number; name: string }[];
  /**
   * Every version gets a build. Else the newest at the time of the decision. Means something with `trigger`
   * only.
   */
  every: boolean;
  /**
   * Versions up to this row id trigger nothing: they were there before the get became a trigger, or came
   * while the job was paused.
   */
  baseline: number;
  /**
   * Triggers with `every`: versions above the baseline that no build of the job used for this get, of a
   * pinned resource the pinned one at most. Without `passed` the `MOST_UNUSED` + 1 of them that were found
   * first. With `passed` the oldest `MOST_UNUSED` that are good in each upstream job, looked for among the
   * `MOST_PASSED` (`MAX_PASSED_WAITING`) newest good ones of the first.
   */
  unused: number[];
}

export interface BuildRequest {
  id: number;
  by: string;
  /** Trigger with version. */
  version?: { resource: number; version: number; disabled: boolean };
  /**
   * It follows from a version that somebody triggered: what became of the builds of that trigger in the jobs
   * that `passed` names.
   */
  after?: { job: number; good: boolean }[];
  /** Checks that the person wants first. */
  checks?: RequestedCheck[];
  /** Some of these checks have not ended, and there is time left for them. */
  checking?: boolean;
}

/** `late`: it had not ended when the build was decided on. */
export interface RequestedCheck {
  resource: string;
  result: 'checked' | 'failed' | 'late';
  error?: string;
}

export interface Taken {
  resource: number;
  version: number;
}

/** A place in a list that is ordered by version, then build, both newest first. */
export interface Place {
  version: number;
  build: number;
}

/** Stands for a version or a build above all that exist. */
export const NEWEST = Number.MAX_SAFE_INTEGER;

/**
 * Good builds (succeeded or warning) of an upstream job that took or made a version of the resource: all of
 * them from `from` (absent: from the newest) down to the last one listed.
 */
export interface PassPage {
  upstream: number;
  resource: number;
  from?: Place;
  rows: Pass[];
  /** Nothing comes after the last row. */
  end: boolean;
}

export interface Pass extends Place {
  /**
   * All that the build took or made, as far as gets that name this upstream job in `passed` take it, other
   * versions of the same resource included. Absent where every job has at most one such get.
   */
  also?: Taken[];
}

/**
 * Row ids of versions that builds of the job took for one get, the one found last first. Builds that a pin or
 * a disabled version cancelled before they started do not count.
 */
export interface UsedPage {
  job: number;
  /** Position of the get. */
  get: number;
  /** Absent: from the newest. */
  from?: number;
  versions: number[];
  end: boolean;
}

/** The page that a decision could not do without. */
export type Need =
  | { kind: 'passes'; upstream: number; resource: number; from: Place }
  | { kind: 'used'; job: number; get: number; from: number };

/** As many new versions of one get are turned into builds by one decision; the next one takes the rest. */
export const MOST_UNUSED = 100;
/** A get with `every` and `passed` finds what it has not built among as many good versions. */
export const MOST_PASSED = 1000;
/**
 * … or among as many, when none of the oldest `PASSED_AT_EDGE` of those was built: more are waiting behind
 * them.
 */
export const MAX_PASSED_WAITING = 10_000;
export const PASSED_AT_EDGE = 20;
/**
 * Rows of a page: few at first, since the newest nearly always answer; then more with each round, and after
 * the last it is enough.
 */
export const PAGE_ROWS = [20, 200, 2000, 2000, 2000] as const;
