/**
 * What is known of a pipeline's jobs and resources when its picture is drawn; what is absent has neither run
 * nor been pinned.
 */
export interface GraphState {
  jobs: ReadonlyMap<string, JobState>;
  resources: ReadonlyMap<string, ResourceState>;
}

export interface JobState {
  /** The job or its pipeline. */
  paused: boolean;
  /** How its latest builds ended. */
  ended?: Ended;
  /** What it is doing besides. */
  doing?: Doing;
}

export interface ResourceState {
  pinned: boolean;
  /** Its last check failed. */
  failing: boolean;
}

export type Ended = 'succeeded' | 'failed' | 'cancelled' | 'warning';
export type Doing = 'pending' | 'waiting' | 'started';

interface JobBuild {
  /** `7`, its retries `7.1`, `7.2`. */
  number: string;
  status: Ended | Doing;
}

/**
 * The state of a job from its builds, in any order. The newest number that has an ended build gives the
 * colour, and of that build and its retries the newest that ended: a late retry of an old build changes
 * nothing.
 */
export function stateOfJob(builds: readonly JobBuild[], paused: boolean): JobState {
  const newestFirst = builds.toSorted((one, other) => compareNumbers(other.number, one.number));
  const ended = newestFirst.map(({ status }) => status).find((status) => !isDoing(status));
  const doing = (['started', 'waiting', 'pending'] as const).find((word) =>
    builds.some(({ status }) => status === word),
  );
  return { paused, ...(ended && !isDoing(ended) && { ended }), ...(doing && { doing }) };
}

const isDoing = (status: Ended | Doing): status is Doing =>
  status === 'pending' || status === 'waiting' || status === 'started';

function compareNumbers(one: string, other: string): number {
  const [group = 0, retry = 0] = one.split('.').map(Number);
  const [otherGroup = 0, otherRetry = 0] = other.split('.').map(Number);
  return group - otherGroup || retry - otherRetry;
}
