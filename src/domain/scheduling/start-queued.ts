import { formatList, type Reason } from './reasons.ts';
import { whyPaused } from './why-no-build.ts';

/**
 * The open builds of a team, without those that wait for approval. Each decision counts the slots that they
 * take, so no counter is stored. A `queued` build waits for its turn. After that it is `running`, even if its
 * Pod has no node yet.
 */
export interface StartFacts {
  /** Builds of the team that may run at a time. Absent: no limit. */
  limit?: number;
  jobs: StartJob[];
  /** All running builds, and at least the oldest queued builds of each job. */
  builds: OpenBuild[];
}

export interface StartJob {
  id: number;
  name: string;
  pipeline: number;
  paused: boolean;
  /** The pipeline is paused. This only explains why the job is paused. */
  pipelinePaused: boolean;
  concurrency?: number;
  serialGroups: readonly string[];
}

/** Everything that can make a build wait for its turn. */
export type TurnConstraints = Pick<StartJob, 'paused' | 'concurrency' | 'serialGroups'> &
  Pick<StartFacts, 'limit'>;

export interface OpenBuild {
  id: number;
  /**
   * Position in the queue, the smallest first. Absent: the id of the build. A build takes the position of a
   * build that it superseded.
   */
  place?: number;
  job: number;
  number: string;
  state: 'queued' | 'running';
}

export interface StartDecision {
  start: number[];
  held: { build: number; reasons: Reason[] }[];
}

/**
 * Whether a build needs no turn: nothing in the job or the team limits it, so its Pod may be created at once.
 */
export function startsAtOnce({ paused, concurrency, serialGroups, limit }: TurnConstraints): boolean {
  return !paused && concurrency === undefined && serialGroups.length === 0 && limit === undefined;
}

interface BuildWithJob extends OpenBuild {
  startJob: StartJob;
}

/**
 * Which queued builds get their turn, the oldest first. A build that must wait reserves its serial groups, so
 * that younger builds of other jobs cannot overtake it for ever. A build of a paused job reserves nothing.
 */
export function startQueued(facts: StartFacts): StartDecision {
  const jobs = new Map(facts.jobs.map((job) => [job.id, job]));
  const builds = facts.builds
    .toSorted((a, b) => placeOf(a) - placeOf(b) || a.id - b.id)
    .flatMap((build): BuildWithJob[] => {
      const startJob = jobs.get(build.job);
      return startJob === undefined ? [] : [{ ...build, startJob }];
    });
  const running = new RunningBuilds(builds.filter(({ state }) => state === 'running'));
  const decision: StartDecision = { start: [], held: [] };
  const waiting = new WaitingBuilds();
  for (const build of builds.filter(({ state }) => state === 'queued')) {
    const paused = whyPaused({
      pipeline: build.startJob.pipelinePaused,
      job: build.startJob.paused,
      name: build.startJob.name,
    });
    const reasons = [...paused, ...whyNotYet(build, { running, waiting, limit: facts.limit })];
    if (reasons.length === 0) {
      decision.start.push(build.id);
      running.add(build);
      continue;
    }
    decision.held.push({ build: build.id, reasons });
    if (paused.length === 0) waiting.add(build);
  }
  return decision;
}

function placeOf({ id, place = id }: OpenBuild): number {
  return place;
}

const groupsOf = ({ pipeline, serialGroups }: StartJob): string[] =>
  serialGroups.map((group) => `${pipeline} ${group}`);

/** Running builds, indexed by job and by serial group. */
class RunningBuilds {
  readonly #ofJob = new Map<number, BuildWithJob[]>();
  readonly #ofGroup = new Map<string, BuildWithJob[]>();
  count = 0;

  constructor(builds: readonly BuildWithJob[]) {
    for (const build of builds) this.add(build);
  }

  add(build: BuildWithJob): void {
    this.count += 1;
    append(this.#ofJob, build.job, build);
    for (const group of groupsOf(build.startJob)) append(this.#ofGroup, group, build);
  }

  ofJob(job: number): readonly BuildWithJob[] {
    return this.#ofJob.get(job) ?? [];
  }

  /** Running builds of other jobs that share a serial group with this build. */
  sharing({ job, startJob }: BuildWithJob): BuildWithJob[] {
    const others = groupsOf(startJob).flatMap((group) => this.#ofGroup.get(group) ?? []);
    return [...new Set(others)].filter((other) => other.job !== job);
  }
}

function append<Key>(lists: Map<Key, BuildWithJob[]>, key: Key, build: BuildWithJob): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [build]);
  else list.push(build);
}

/**
 * Builds that must wait, in the order of the queue. For each serial group, the first builds of two different
 * jobs suffice: whatever the job of a later build, one of the two is of another job.
 */
class WaitingBuilds {
  readonly #ofGroup = new Map<string, { order: number; build: BuildWithJob }[]>();
  #count = 0;

  add(build: BuildWithJob): void {
    this.#count += 1;
    const order = this.#count;
    for (const group of groupsOf(build.startJob)) {
      const firstBuilds = this.#ofGroup.get(group) ?? [];
      if (firstBuilds.length < 2 && firstBuilds.every((other) => other.build.job !== build.job))
        this.#ofGroup.set(group, [...firstBuilds, { order, build }]);
    }
  }

  /** The first waiting build of another job that shares a serial group with this build. */
  firstSharing({ job, startJob }: BuildWithJob): BuildWithJob | undefined {
    return groupsOf(startJob)
      .flatMap((group) => this.#ofGroup.get(group)?.find(({ build }) => build.job !== job) ?? [])
      .toSorted((a, b) => a.order - b.order)[0]?.build;
  }
}

function whyNotYet(
  build: BuildWithJob,
  { running, waiting, limit }: { running: RunningBuilds; waiting: WaitingBuilds; limit: number | undefined },
): Reason[] {
  return [
    ...whyConcurrency(build, running.ofJob(build.job)),
    ...whySerialGroup(build, running.sharing(build)),
    ...whyQueue(build, waiting.firstSharing(build)),
    ...whyTeamLimit(running.count, limit),
  ];
}

function whyConcurrency({ startJob }: BuildWithJob, runningOfJob: readonly BuildWithJob[]): Reason[] {
  if (startJob.concurrency === undefined || runningOfJob.length < startJob.concurrency) return [];
  const numbers = formatList(runningOfJob.map(({ number }) => number));
  const running = runningOfJob.length === 1 ? `build ${numbers} is` : `builds ${numbers} are`;
  const message = `${startJob.name} runs ${countOfBuilds(startJob.concurrency)} at a time, and ${running} running.`;
  return [{ code: 'Concurrency', message, data: { have: runningOfJob.length, want: startJob.concurrency } }];
}

function whySerialGroup(build: BuildWithJob, others: readonly BuildWithJob[]): Reason[] {
  return others.map((other) => ({
    code: 'SerialGroup',
    message: `Build ${other.number} of ${other.startJob.name} holds the serial group ${sharedGroup(build, other)}.`,
    data: { group: sharedGroup(build, other), build: { job: other.startJob.name, number: other.number } },
  }));
}

function whyQueue(build: BuildWithJob, other: BuildWithJob | undefined): Reason[] {
  if (other === undefined) return [];
  const group = sharedGroup(build, other);
  const message = `Build ${other.number} of ${other.startJob.name} has waited longer for the serial group ${group}.`;
  return [
    {
      code: 'SerialGroupQueue',
      message,
      data: { group, build: { job: other.startJob.name, number: other.number } },
    },
  ];
}

/** The first serial group that both builds have. */
function sharedGroup({ startJob }: BuildWithJob, other: BuildWithJob): string {
  return startJob.serialGroups.find((name) => other.startJob.serialGroups.includes(name)) ?? '';
}

function whyTeamLimit(running: number, limit: number | undefined): Reason[] {
  if (limit === undefined || running < limit) return [];
  const now = running === 1 ? 'one is' : `${running} are`;
  const message = `The team runs ${countOfBuilds(limit)} at a time, and ${now} running.`;
  return [{ code: 'TeamLimit', message, data: { have: running, want: limit } }];
}

function countOfBuilds(count: number): string {
  return count === 1 ? '1 build' : `${count} builds`;
}
