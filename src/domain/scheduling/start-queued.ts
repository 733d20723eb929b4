import { listed, type Reason } from './reasons.ts';
import { whyPaused } from './why-no-build.ts';

/**
 * Builds of a team that have not ended and wait for nobody's approval. What they occupy is counted from them each time, never kept. A
 * `queued` one has not had its turn; everything after that, a Pod without a node included, is `running`.
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
  /** In the queue: smaller, asked for earlier. Absent: its id. A build that superseded another one has the place of that one. */
  place?: number;
  job: number;
  number: string;
  state: 'queued' | 'running';
}

export interface StartDecision {
  start: number[];
  held: { build: number; reasons: Reason[] }[];
}

/** No turn is needed where nothing is shared: such a build may start as soon as it is made, whatever else runs or waits. */
export function startsAtOnce({ paused, concurrency, serialGroups, limit }: Hold): boolean {
  return !paused && concurrency === undefined && serialGroups.length === 0 && limit === undefined;
}

interface Placed extends OpenBuild {
  of: StartJob;
}

/**
 * Which queued builds have their turn: the oldest first. A build that must wait keeps its serial groups for itself, so younger builds of
 * other jobs cannot pass it for ever; one that is paused keeps nothing.
 */
export function startQueued(facts: StartFacts): StartDecision {
  const jobs = new Map(facts.jobs.map((job) => [job.id, job]));
  const builds = facts.builds
    .toSorted((a, b) => placeOf(a) - placeOf(b) || a.id - b.id)
    .flatMap((build): Placed[] => {
      const of = jobs.get(build.job);
      return of === undefined ? [] : [{ ...build, of }];
    });
  const running = builds.filter(({ state }) => state === 'running');
  const decision: StartDecision = { start: [], held: [] };
  const ahead: Placed[] = [];
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
      running.push(build);
    }
    if (reasons.length > 0 && paused.length === 0) ahead.push(build);
  }
  return decision;
}

function placeOf({ id, place = id }: OpenBuild): number {
  return place;
}

function hindrances(
  build: Placed,
  { running, ahead, limit }: { running: Placed[]; ahead: Placed[]; limit: number | undefined },
): Reason[] {
  return [
    ...whyConcurrency(build, running),
    ...whySerialGroup(build, running),
    ...whyQueue(build, ahead),
    ...whyTeamLimit(running.length, limit),
  ];
}

function whyConcurrency({ of }: Placed, running: Placed[]): Reason[] {
  const own = running.filter(({ job }) => job === of.id);
  if (of.concurrency === undefined || own.length < of.concurrency) return [];
  const numbers = listed(own.map(({ number }) => number));
  const message = `${of.name} runs ${of.concurrency} at a time, and ${own.length === 1 ? 'build' : 'builds'} ${numbers} ${own.length === 1 ? 'is' : 'are'} running.`;
  return [{ code: 'Concurrency', message, data: { have: own.length, want: of.concurrency } }];
}

function whySerialGroup(build: Placed, running: Placed[]): Reason[] {
  return shared(build, running).map(({ other, group }) => ({
    code: 'SerialGroup',
    message: `Build ${other.number} of ${other.of.name} holds the serial group ${group}.`,
    data: { group, build: { job: other.of.name, number: other.number } },
  }));
}

function whyQueue(build: Placed, ahead: Placed[]): Reason[] {
  return shared(build, ahead)
    .slice(0, 1)
    .map(({ other, group }) => ({
      code: 'SerialGroupQueue',
      message: `Build ${other.number} of ${other.of.name} has waited longer for the serial group ${group}.`,
      data: { group, build: { job: other.of.name, number: other.number } },
    }));
}

/** Builds of other jobs of the pipeline that share a group, each with the first that it shares. */
function shared({ of }: Placed, others: Placed[]): { other: Placed; group: string }[] {
  return others.flatMap((other) => {
    if (other.job === of.id || other.of.pipeline !== of.pipeline) return [];
    const group = of.serialGroups.find((name) => other.of.serialGroups.includes(name));
    return group === undefined ? [] : [{ other, group }];
  });
}

function whyTeamLimit(running: number, limit: number | undefined): Reason[] {
  if (limit === undefined || running < limit) return [];
  const message = `The team runs ${limit} ${limit === 1 ? 'build' : 'builds'} at a time, and ${running === 1 ? 'one is' : `${running} are`} running.`;
  return [{ code: 'TeamLimit', message, data: { have: running, want: limit } }];
}
