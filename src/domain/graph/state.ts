import { defined } from '#defined';

/**
 * State of the jobs and resources in a picture. An absent job has not run; an absent resource is not pinned.
 */
export interface GraphState {
  jobs: ReadonlyMap<string, JobState>;
  resources: ReadonlyMap<string, ResourceState>;
}

export interface JobState {
  /** Whether the job or its pipeline is paused. */
  paused: boolean;
  /** Outcome of the newest ended build. */
  ended?: EndedStatus;
  /**
   * The state of its builds that have not ended: `started` if one runs, else `waiting` if one waits for
   * approval, else `pending`.
   */
  doing?: ActiveStatus;
}

export interface ResourceState {
  pinned: boolean;
  /** Whether its last check failed. */
  failing: boolean;
}

export type EndedStatus = 'succeeded' | 'failed' | 'cancelled' | 'warning';
export type ActiveStatus = 'pending' | 'waiting' | 'started';

interface JobBuild {
  /** `7`, or for retries `7.1`, `7.2`. */
  number: string;
  status: EndedStatus | ActiveStatus;
}

/**
 * The state of a job from its builds, in any order. The outcome is that of the highest build number that has
 * ended, and of its newest retry. A late retry of an older build changes nothing.
 */
export function stateOfJob(builds: readonly JobBuild[], paused: boolean): JobState {
  const newestFirst = builds.toSorted((one, other) => compareNumbers(other.number, one.number));
  const [ended] = newestFirst.flatMap(({ status }) => (isActiveStatus(status) ? [] : [status]));
  const doing = (['started', 'waiting', 'pending'] as const).find((word) =>
    builds.some(({ status }) => status === word),
  );
  return { paused, ...defined({ ended, doing }) };
}

const isActiveStatus = (status: EndedStatus | ActiveStatus): status is ActiveStatus =>
  status === 'pending' || status === 'waiting' || status === 'started';

function compareNumbers(one: string, other: string): number {
  const [build = 0, retry = 0] = one.split('.').map(Number);
  const [otherBuild = 0, otherRetry = 0] = other.split('.').map(Number);
  return build - otherBuild || retry - otherRetry;
}
