import { defined } from '#defined';

/**
 * State of the jobs and resources in a picture, by name. A job that is absent has not run. A resource that is
 * absent is neither pinned nor failing.
 */
export interface GraphState {
  jobs: ReadonlyMap<string, JobState>;
  resources: ReadonlyMap<string, ResourceState>;
}

export interface JobState {
  /** Whether the job or its pipeline is paused. */
  paused: boolean;
  /** Outcome of the newest ended build. Absent: no build has ended. */
  ended?: EndedStatus;
  /**
   * State of the builds that have not ended: `started` if one runs, otherwise `waiting` if one waits for
   * approval, otherwise `pending`. Absent: all builds have ended.
   */
  doing?: ActiveStatus;
}

export interface ResourceState {
  pinned: boolean;
  /** Whether the last check of the resource failed. */
  failing: boolean;
}

export type EndedStatus = 'succeeded' | 'failed' | 'cancelled' | 'warning';
export type ActiveStatus = 'pending' | 'waiting' | 'started';

interface JobBuild {
  /** `7` or, for retries of build 7, `7.1` and `7.2`. */
  number: string;
  status: EndedStatus | ActiveStatus;
}

/**
 * The state of a job. `builds` can have any order. The outcome comes from the ended build with the highest
 * number and, among the retries of that build, from the newest. A late retry of an older build does not
 * change the outcome.
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
