import { formatList, type Reason } from './reasons.ts';
import { whyPaused } from './why-no-build.ts';

/**
 * Builds of a team that have not ended and wait for nobody's approval. What they occupy is counted from them
 * each time, never kept. A `queued` one has not had its turn; everything after that, a Pod without a node
 * included, is `running`.
 */
export interface StartFacts {
  /** Builds of the team at a time; absent: no limit. */
  limit?: number;
  jobs: StartJob[];
  /** All that run; of the queued at least the oldest ones of each job. */
  builds: OpenBuild[];
}

export interface StartJob {
  id: number;
  name: string;
  pipeline: number;
  paused: boolean;
  /** Tells why the job is. */
  pipelinePaused: boolean;
  concurrency?: number;
  serialGroups: readonly string[];
}

/** What may hold a build of a job back. */
export type Hold = Pick<StartJob, 'paused' | 'concurrency' | 'serialGroups'> & Pick<StartFacts, 'limit'>;

export interface OpenBuild {
  id: number;
  /**
   * In the queue: smaller, asked for earlier. Absent: its id. A build that superseded another one has the
   * place of that one.
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
 * No turn is needed where nothing is shared: such a build may start as soon as it is made, whatever else runs
 * or waits.
 */
export function startsAtOnce({ paused, concurrency, serialGroups, limit }: Hold): boolean {
  return !paused && concurrency === undefined && serialGroups.length === 0 && limit === undefined;
}

interface Placed extends OpenBuild {
  of: StartJob;
}

/**
 * Which queued builds have their turn: the oldest first. A build that must wait keeps its serial groups for
 * itself, so younger builds of other jobs cannot pass it for ever; one that is paused keeps nothing.
 */
export function startQueued(facts: StartFacts): StartDecision {
  const jobs = new Map(facts.jobs.map((job) => [job.id, job]));
  const builds = facts.builds
    .toSorted((a, b) => placeOf(a) - placeOf(b) || a.id - b.id)
    .flatMap((build): Placed[] => {
      const of = jobs.get(build.job);
      return of === undefined ? [] : [{ ...build, of }];
    });
  const running = new Running(builds.filter(({ state }) => state === 'running'));
  const decision: StartDecision = { start: [], held: [] };
  const ahead = new Ahead();
  for (const build of builds.filter(({ state }) => state === 'queued')) {
    const paused = whyPaused({
      pipeline: build.of.pipelinePaused,
      job: build.of.paused,
      name: build.of.name,
    });
    const reasons = [...paused, ...hindrances(build, { running, ahead, limit: facts.limit })];
    if (reasons.length > 0) decision.held.push({ build: build.id, reasons });
    else {
      decision.start.push(build.id);
      running.add(build);
    }
    if (reasons.length > 0 && paused.length === 0) ahead.add(build);
  }
  return decision;
}

function placeOf({ id, place = id }: OpenBuild): number {
  return place;
}

const groupsOf = ({ pipeline, serialGroups }: StartJob): string[] =>
  serialGroups.map((group) => `${pipeline} ${group}`);

/** Builds that run, by job and by serial group, so that no queued build reads them all. */
class Running {
  readonly #ofJob = new Map<number, Placed[]>();
  readonly #ofGroup = new Map<string, Placed[]>();
  count = 0;

  constructor(builds: readonly Placed[]) {
    for (const build of builds) this.add(build);
  }

  add(build: Placed): void {
    this.count += 1;
    append(this.#ofJob, build.job, build);
    for (const group of groupsOf(build.of)) append(this.#ofGroup, group, build);
  }

  ofJob(job: number): readonly Placed[] {
    return this.#ofJob.get(job) ?? [];
  }

  /** Those of other jobs that share a group with it. */
  sharing({ job, of }: Placed): Placed[] {
    const others = groupsOf(of).flatMap((group) => this.#ofGroup.get(group) ?? []);
    return [...new Set(others)].filter((other) => other.job !== job);
  }
}

function append<Key>(lists: Map<Key, Placed[]>, key: Key, build: Placed): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [build]);
  else list.push(build);
}

/**
 * Builds that wait, in their order. Of each serial group only the first of two jobs count: for any build, the
 * first of another job.
 */
class Ahead {
  readonly #ofGroup = new Map<string, { order: number; build: Placed }[]>();
  #count = 0;

  add(build: Placed): void {
    const order = (this.#count += 1);
    for (const group of groupsOf(build.of)) {
      const first = this.#ofGroup.get(group) ?? [];
      if (first.length < 2 && first.every((other) => other.build.job !== build.job))
        this.#ofGroup.set(group, [...first, { order, build }]);
    }
  }

  firstSharing({ job, of }: Placed): Placed | undefined {
    return groupsOf(of)
      .flatMap((group) => this.#ofGroup.get(group)?.find(({ build }) => build.job !== job) ?? [])
      .toSorted((a, b) => a.order - b.order)[0]?.build;
  }
}

function hindrances(
  build: Placed,
  { running, ahead, limit }: { running: Running; ahead: Ahead; limit: number | undefined },
): Reason[] {
  return [
    ...whyConcurrency(build, running.ofJob(build.job)),
    ...whySerialGroup(build, running.sharing(build)),
    ...whyQueue(build, ahead.firstSharing(build)),
    ...whyTeamLimit(running.count, limit),
  ];
}

function whyConcurrency({ of }: Placed, own: readonly Placed[]): Reason[] {
  if (of.concurrency === undefined || own.length < of.concurrency) return [];
  const numbers = formatList(own.map(({ number }) => number));
  const running = own.length === 1 ? `build ${numbers} is` : `builds ${numbers} are`;
  const message = `${of.name} runs ${countOfBuilds(of.concurrency)} at a time, and ${running} running.`;
  return [{ code: 'Concurrency', message, data: { have: own.length, want: of.concurrency } }];
}

function whySerialGroup(build: Placed, others: readonly Placed[]): Reason[] {
  return others.map((other) => ({
    code: 'SerialGroup',
    message: `Build ${other.number} of ${other.of.name} holds the serial group ${groupOf(build, other)}.`,
    data: { group: groupOf(build, other), build: { job: other.of.name, number: other.number } },
  }));
}

function whyQueue(build: Placed, other: Placed | undefined): Reason[] {
  if (other === undefined) return [];
  const group = groupOf(build, other);
  const message = `Build ${other.number} of ${other.of.name} has waited longer for the serial group ${group}.`;
  return [
    {
      code: 'SerialGroupQueue',
      message,
      data: { group, build: { job: other.of.name, number: other.number } },
    },
  ];
}

/** The first of its groups that the other one has too. */
function groupOf({ of }: Placed, other: Placed): string {
  return of.serialGroups.find((name) => other.of.serialGroups.includes(name)) ?? '';
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
