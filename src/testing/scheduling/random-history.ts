import * as fc from 'fast-check';
import { defined } from '#defined';
import { isActive, type BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { ResourceVersion } from '#domain/scheduling/facts.ts';
import { disable, pauseJob, pausePipeline, pin, retryBuild, unpin } from './actions-on-history.ts';
import { nextBuild } from './decide-in-memory.ts';
import { addVersion, printVersions, type History, type HistoryGet } from './history.ts';
import { weighted } from './weighted.ts';

/**
 * An event for any history. `choice` and `otherChoice` choose among what the history has, modulo the number
 * of items.
 */
export interface DrawnEvent {
  kind: EventKind;
  choice: number;
  otherChoice: number;
}

const KINDS = {
  version: 8,
  print: 2,
  end: 12,
  retry: 2,
  pin: 1,
  unpin: 1,
  disable: 1,
  enable: 1,
  pauseJob: 1,
  unpauseJob: 1,
  pause: 1,
  unpause: 1,
} as const;
type EventKind = keyof typeof KINDS;

const small = fc.nat(11);

export const drawnEvents = fc.array(
  fc.record({
    kind: weighted(KINDS),
    choice: small,
    otherChoice: small,
  }),
  { minLength: 4, maxLength: 24, size: 'max' },
);

interface DrawnGet {
  resource: number;
  trigger: boolean;
  every: boolean;
  passed: number;
}

const drawnJob = fc.record({
  supersede: fc.boolean(),
  concurrency: fc.constantFrom(undefined, 1, 2, 3),
  interruptible: fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, fc.constant(true)),
  gets: fc.array(
    fc.record({ resource: small, trigger: fc.boolean(), every: fc.boolean(), passed: fc.nat(15) }),
    { minLength: 1, maxLength: 4, size: 'max' },
  ),
});

/**
 * `past`: builds with arbitrary versions, as pins, people and older definitions may have created them.
 * Histories that follow only the rules hardly ever make a search backtrack.
 */
export const drawnPipeline = fc.record({
  resources: fc.integer({ min: 1, max: 3 }),
  jobs: fc.array(drawnJob, { minLength: 1, maxLength: 4, size: 'max' }),
  past: fc.array(
    fc.record({ job: small, versions: fc.array(small, { minLength: 4, maxLength: 4 }), good: fc.nat(3) }),
    { maxLength: 10, size: 'max' },
  ),
});
type Drawn = typeof drawnPipeline extends fc.Arbitrary<infer Pipeline> ? Pipeline : never;
type DrawnPipeline = Omit<Drawn, 'jobs'> & { jobs: DrawnJob[] };

interface DrawnJob {
  interruptible: boolean;
  supersede?: boolean;
  concurrency?: number | undefined;
  gets: DrawnGet[];
}

export function historyOf(drawn: DrawnPipeline): History {
  const history: History = { paused: false, resources: [], jobs: [], builds: [], requests: 0 };
  for (let index = 1; index <= drawn.resources; index += 1)
    history.resources.push({ id: index, name: `r${index}`, versions: [] });
  for (const [index, { interruptible, supersede = true, concurrency, gets }] of drawn.jobs.entries())
    history.jobs.push({
      id: index + 1,
      name: `j${index + 1}`,
      paused: false,
      interruptible,
      supersede,
      ...defined({ concurrency }),
      allowFailure: false,
      disableRetry: false,
      gets: gets.map((get) => getOf(get, history)),
      requests: [],
    });
  if (drawn.past.length > 0)
    for (let index = 0; index < 3 * drawn.resources; index += 1)
      addVersion(history, (index % drawn.resources) + 1);
  for (const build of drawn.past) addPast(history, build);
  return history;
}

function addPast(history: History, { job, versions, good }: DrawnPipeline['past'][number]): void {
  const historyJob = pick(history.jobs, job);
  if (historyJob === undefined) return;
  const inputs = historyJob.gets.map(({ resource }, index): ResourceVersion => {
    const existing = history.resources[resource - 1]?.versions ?? [];
    return { resource, version: pick(existing, versions[index] ?? 0)?.id ?? 0 };
  });
  history.builds.push({
    id: nextBuild(history),
    job: historyJob.id,
    number: String(nextBuild(history)),
    status: good === 0 ? 'failed' : 'succeeded',
    inputs,
    outputs: [],
    cause: { kind: 'version', resource: 0, version: 0 },
    approved: false,
    votes: [],
  });
}

/** `passed` is a bit mask over the earlier jobs that get the resource. */
function getOf({ resource, trigger, every, passed }: DrawnGet, { resources, jobs }: History): HistoryGet {
  const id = (resource % resources.length) + 1;
  const earlierJobs = jobs.filter(({ gets }) => gets.some((get) => get.resource === id));
  const upstream = earlierJobs.filter((_, index) => (passed >> index) % 2 === 1);
  return { resource: id, trigger, every, passed: upstream.map((job) => job.id), baseline: 0, settled: 0 };
}

const MAX_VERSIONS = 5;

export function happen(history: History, { kind, choice, otherChoice }: DrawnEvent): void {
  EVENT_ACTIONS[kind](history, choice, otherChoice);
}

type EventAction = (history: History, choice: number, otherChoice: number) => void;

const EVENT_ACTIONS: Record<EventKind, EventAction> = {
  version(history, choice) {
    const resource = pick(history.resources, choice);
    if (resource && resource.versions.length < MAX_VERSIONS) addVersion(history, resource.id);
  },
  /**
   * `otherChoice` is a bit mask of the known versions that are printed besides a new one. If it is a multiple
   * of three, they are printed newest first.
   */
  print(history, choice, otherChoice) {
    const resource = pick(history.resources, choice);
    if (resource === undefined || resource.versions.length >= MAX_VERSIONS) return;
    const printed = resource.versions
      .map(({ label }) => label)
      .filter((_, index) => (otherChoice >> index) % 2 === 1);
    const printOrder = otherChoice % 3 === 0 ? printed.toReversed() : printed;
    const newLabel = `n${resource.versions.length}`;
    printVersions(history, resource.id, printOrder.toSpliced(choice % (printOrder.length + 1), 0, newLabel));
  },
  end,
  retry(history, choice) {
    const original = pick(history.builds, choice);
    if (original !== undefined) retryBuild(history, original, 'ann');
  },
  pin(history, choice, otherChoice) {
    const resource = pick(history.resources, choice);
    const version = resource && pick(resource.versions, otherChoice);
    if (resource && version) pin(history, resource, version.id);
  },
  unpin(history, choice) {
    const resource = pick(history.resources, choice);
    if (resource) unpin(history, resource);
  },
  disable: (history, choice, otherChoice) => setDisabled(history, { choice, otherChoice, disabled: true }),
  enable: (history, choice, otherChoice) => setDisabled(history, { choice, otherChoice, disabled: false }),
  pauseJob: (history, choice) => pauseJob(history, pick(history.jobs, choice), true),
  unpauseJob: (history, choice) => pauseJob(history, pick(history.jobs, choice), false),
  pause: (history) => pausePipeline(history, true),
  unpause: (history) => pausePipeline(history, false),
};

function setDisabled(
  history: History,
  { choice, otherChoice, disabled }: { choice: number; otherChoice: number; disabled: boolean },
) {
  const resource = pick(history.resources, choice);
  const version = resource && pick(resource.versions, otherChoice);
  if (resource && version) disable(history, { resource: resource.id, version: version.id }, disabled);
}

function pick<Item>(items: Item[], index: number): Item | undefined {
  return items[index % Math.max(1, items.length)];
}

const ENDS: BuildStatus[] = ['succeeded', 'succeeded', 'succeeded', 'warning', 'failed', 'cancelled'];

/** Ends a build; some good builds make a version. */
function end(history: History, choice: number, otherChoice: number): void {
  const build = pick(
    history.builds.filter(({ status }) => isActive(status)),
    choice,
  );
  const status = pick(ENDS, otherChoice);
  if (build === undefined || status === undefined) return;
  build.status = status;
  const resource = history.resources[otherChoice % 5];
  if (resource === undefined || status !== 'succeeded') return;
  if (resource.versions.length < MAX_VERSIONS)
    build.outputs.push({ resource: resource.id, version: addVersion(history, resource.id) });
}
