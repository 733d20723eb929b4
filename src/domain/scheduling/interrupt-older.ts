import type { BuildDecision, DecidedBuilds, Decision } from './decision.ts';
import type { GetFacts, JobFacts, ResourceVersion } from './facts.ts';

/**
 * Builds of an interruptible job form interruption groups: one for each pull request, one for each branch,
 * and one for builds whose versions name neither. A new build ends only older builds of its own group, so no
 * pull request cancels the build of another one.
 */
export interface InterruptFacts {
  /** Builds of the jobs that have not ended. */
  open: InterruptibleBuild[];
  /** By row id of a version, for versions that name a pull request or a branch. */
  origins: ReadonlyMap<number, VersionOrigin>;
}

export interface InterruptibleBuild {
  id: number;
  job: number;
  /** Versions as row ids. */
  inputs: ResourceVersion[];
}

/** The fields `pr` and `branch` of a version. */
export interface VersionOrigin {
  pr?: string;
  branch?: string;
}

type Job = Pick<JobFacts, 'id' | 'interruptible' | 'gets'>;

/** The builds that may interrupt older ones: their jobs, and the row ids of their versions. */
export function interruptingBuilds(
  jobs: readonly Job[],
  builds: readonly BuildDecision[],
): { jobs: number[]; versions: number[] } {
  const interruptible = new Set(jobs.filter((job) => job.interruptible === true).map(({ id }) => id));
  const interrupting = builds.filter(({ job }) => interruptible.has(job));
  return {
    jobs: [...new Set(interrupting.map(({ job }) => job))],
    versions: [...new Set(interrupting.flatMap(({ versions }) => versions))],
  };
}

/**
 * For each group of an interruptible job, the last build of the decision interrupts the older ones: open
 * builds (`interrupted`) and earlier builds of the same decision (`superseded`).
 */
export function interruptOlder(
  decision: DecidedBuilds,
  jobs: readonly Job[],
  { open, origins }: InterruptFacts,
): Decision {
  const getsByJob = new Map(
    jobs.filter((job) => job.interruptible === true).map((job) => [job.id, job.gets]),
  );
  /** Undefined: the job is not interruptible. */
  const groupOf = (job: number, inputs: readonly ResourceVersion[]): string | undefined => {
    const gets = getsByJob.get(job);
    return gets && `${job} ${interruptionGroup(gets, inputs, origins)}`;
  };
  const groups = decision.builds.map((build) => {
    const gets = getsByJob.get(build.job);
    return gets && groupOf(build.job, inputsOf(build, gets));
  });
  /** Index of the last build of each group. */
  const last = new Map(groups.map((group, index) => [group, index]));
  return {
    ...decision,
    builds: decision.builds.map((build, index) => {
      const isLast = groups[index] === undefined || last.get(groups[index]) === index;
      return isLast ? build : { ...build, state: 'superseded' };
    }),
    interrupted: open
      .filter(({ job, inputs }) => getsByJob.has(job) && last.has(groupOf(job, inputs)))
      .map(({ id }) => id),
  };
}

function inputsOf({ job, versions }: BuildDecision, gets: Job['gets']): ResourceVersion[] {
  return versions.map((version, position) => {
    const get = gets[position];
    if (get === undefined)
      throw new Error(`A build of job ${job} has a version for get ${position}, which the job lacks.`);
    return { resource: get.resource, version };
  });
}

/** Facts about a retry in an interruptible job. `open`: only builds of that job. */
export interface RetryInterrupts extends InterruptFacts {
  gets: Pick<GetFacts, 'resource' | 'trigger'>[];
  /** The versions of the build to retry. */
  inputs: ResourceVersion[];
}

/** The row ids of the open builds that the retry interrupts. */
export function interruptedByRetry({ open, gets, inputs, origins }: RetryInterrupts): number[] {
  const group = interruptionGroup(gets, inputs, origins);
  return open.filter((build) => interruptionGroup(gets, build.inputs, origins) === group).map(({ id }) => id);
}

/**
 * The interruption group of a build. If some gets of the job trigger, only versions of their resources count:
 * a new version of another resource does not change the group.
 */
function interruptionGroup(
  gets: RetryInterrupts['gets'],
  inputs: readonly ResourceVersion[],
  origins: InterruptFacts['origins'],
): string {
  const triggers = gets.filter(({ trigger }) => trigger);
  const counted = new Set((triggers.length > 0 ? triggers : gets).map(({ resource }) => resource));
  const originsOfInputs = inputs.flatMap(({ resource, version }) => {
    const { pr, branch } = origins.get(version) ?? {};
    return counted.has(resource) && (pr ?? branch) !== undefined ? [[resource, pr ?? '', branch ?? '']] : [];
  });
  return JSON.stringify(originsOfInputs);
}
