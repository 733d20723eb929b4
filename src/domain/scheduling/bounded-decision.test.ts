import { describe, expect, test } from '@jest/globals';
import { counted } from '#testing/scheduling/counted.ts';
import { decideBuilds } from './decide-builds.ts';
import { MAX_BUILDS_PER_DECISION, MAX_VERSIONS_PER_DECISION, type DecidedBuilds } from './decision.ts';
import { MAX_UNUSED_VERSIONS, type Facts, type GetFacts, type JobFacts } from './facts.ts';
import { interruptOlder } from './interrupt-older.ts';
import { AUTOMATIC_PAUSE_ABOVE, MAX_QUEUED_BUILDS } from './queue-limits.ts';
import { decideRetry } from './retry-build.ts';

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);
const get = (unused: number[], more: Partial<GetFacts> = {}): GetFacts => {
  return { resource: 1, trigger: true, passed: [], every: true, baseline: 0, unused, ...more };
};
const job = (id: number, gets: GetFacts[], more: Partial<JobFacts> = {}): JobFacts => {
  return { id, name: `job-${id}`, paused: false, gets, requests: [], ...more };
};
function facts(jobs: JobFacts[]): Facts {
  const resources = [{ id: 1, name: 'git.app', newest: MAX_UNUSED_VERSIONS }];
  return { paused: false, resources, jobs, passes: [], used: [] };
}
const flood = (jobs: number): JobFacts[] => upTo(jobs).map((id) => job(id, [get(upTo(MAX_UNUSED_VERSIONS))]));

/** Decides until no job is left, as the operator does, and returns each decision. */
function decideOnAll(jobs: JobFacts[]): DecidedBuilds[] {
  const decisions: DecidedBuilds[] = [];
  let undecided = jobs;
  while (undecided.length > 0) {
    const decision = decideBuilds(facts(undecided));
    decisions.push(decision);
    const unfinished = new Set(decision.unfinished);
    undecided = undecided
      .filter(({ id }) => unfinished.has(id))
      .map((unfinishedJob) => withoutBuilt(unfinishedJob, decision));
  }
  return decisions;
}

/** The job without the unused versions that the decision built. */
function withoutBuilt(jobFacts: JobFacts, { builds }: DecidedBuilds): JobFacts {
  const ownBuilds = builds.filter((build) => build.job === jobFacts.id);
  const used = new Set(ownBuilds.map(({ versions }) => versions.join(' ')));
  const gets = jobFacts.gets.map((getFacts) => ({
    ...getFacts,
    unused: getFacts.unused.filter((version) => !used.has(String(version))),
  }));
  return { ...jobFacts, gets };
}

describe('the limit of one decision', () => {
  test('a decision makes no more builds than its limit and leaves the rest to the next', () => {
    const decision = decideBuilds(facts(flood(5000)));
    expect(decision.builds).toHaveLength(MAX_BUILDS_PER_DECISION);
    expect(decision.unfinished).toHaveLength(5000 - MAX_BUILDS_PER_DECISION / MAX_UNUSED_VERSIONS);
    expect(decision.waiting).toEqual([]);
  });

  test('decisions come to an end with one build for each job and version', () => {
    const decisions = decideOnAll(flood(33));
    const built = decisions.flatMap(({ builds }) =>
      builds.map((build) => `${build.job} ${build.versions[0]}`),
    );
    expect(decisions.map(({ builds }) => builds.length)).toEqual([1000, 1000, 1000, 300]);
    expect(new Set(built).size).toBe(3300);
    expect(built).toHaveLength(3300);
  });

  test('a decision that stops within a job takes the oldest versions of that job first and settles none of them', () => {
    const jobs = [
      ...upTo(9).map((id) => job(id, [get(upTo(MAX_UNUSED_VERSIONS))])),
      job(10, [get(upTo(60))]),
    ];
    const decision = decideBuilds(facts([...jobs, job(11, [get(upTo(90))])]));
    const last = decision.builds.filter((build) => build.job === 11);
    expect(last.map(({ versions }) => versions[0])).toEqual(upTo(40));
    expect(decision.unfinished).toEqual([11]);
    expect(decision.settled.map((mark) => mark.job)).toEqual(upTo(10));
  });

  test('a decision answers a request even if it leaves the automatic builds of the job to the next decision', () => {
    const requested = job(5000, [get([7])], { requests: [{ id: 1, by: 'ann' }] });
    const decision = decideBuilds(facts([...flood(20), requested]));
    expect(decision.builds.at(-1)).toMatchObject({ job: 5000, cause: { kind: 'manual', by: 'ann' } });
    expect(decision.unfinished).toContain(5000);
  });

  test('a newest set beyond the limit is built by the next decision', () => {
    const latest = job(5000, [get([], { every: false })]);
    const used = [{ job: 5000, get: 0, versions: [], end: true }];
    const decision = decideBuilds({ ...facts([...flood(10), latest]), used });
    expect(decision.unfinished).toEqual([5000]);
    expect(decideBuilds({ ...facts([latest]), used }).builds).toHaveLength(1);
  });

  test('inputs count toward the limit, but a decision always makes one build', () => {
    const gets = upTo(MAX_VERSIONS_PER_DECISION + 1).map((place) =>
      get(place === 1 ? [1, 2] : [], { every: place === 1 }),
    );
    const wide = job(
      1,
      gets.map((getFacts, index) => ({ ...getFacts, trigger: index === 0 })),
    );
    const decision = decideBuilds(facts([wide, ...flood(1).map((narrow) => ({ ...narrow, id: 2 }))]));
    expect(decision.builds).toHaveLength(1);
    expect(decision.unfinished).toEqual([1, 2]);
  });

  test('each decision lets only the last build that it creates for an interruptible job stay', () => {
    const jobs = [...flood(9), job(10, [get(upTo(50))]), job(11, [get(upTo(90))], { interruptible: true })];
    const open = [{ id: 500, job: 11, inputs: [] }];
    const decisions = decideOnAll(jobs).map((decision) =>
      interruptOlder(decision, jobs, { open, origins: new Map() }),
    );
    const states = decisions.map(({ builds }) =>
      builds.filter((build) => build.job === 11).map(({ state }) => state),
    );
    expect(states.map((ofDecision) => ofDecision.length)).toEqual([50, 40]);
    expect(states.map((ofDecision) => ofDecision.filter((state) => state === 'pending').length)).toEqual([
      1, 1,
    ]);
    expect(decisions.map(({ interrupted }) => interrupted)).toEqual([[500], [500]]);
  });
});

const jobWithRequest = (id: number): JobFacts => ({ ...job(id, [get([])]), requests: [{ id, by: 'ann' }] });

/** A job for which a person triggered version 1 upstream, and that version has passed. */
function cascaded(id: number): JobFacts {
  const passed = [{ job: 1, name: 'unit' }];
  const after = [{ job: 1, good: true }];
  const request = { id, by: 'ann', version: { resource: 1, version: 1, disabled: false }, after };
  return job(id, [get([], { passed, every: false })], { requests: [request] });
}

describe('the limit of queued builds', () => {
  const jobsWithVersions = [job(1, [get([1, 2])]), job(2, [get([], { trigger: false })])];
  const decided = (queued: number, jobs = jobsWithVersions) => decideBuilds({ ...facts(jobs), queued });

  test('automatic builds wait while the queue is full, and the reason says so', () => {
    expect(decided(AUTOMATIC_PAUSE_ABOVE).builds).toHaveLength(2);
    const { builds, unfinished, waiting } = decided(AUTOMATIC_PAUSE_ABOVE + 1);
    expect([builds, unfinished]).toEqual([[], [1]]);
    expect(waiting.map(({ reasons }) => reasons.map(({ code }) => code))).toEqual([
      ['QueueFull'],
      ['NoTrigger'],
    ]);
  });

  test('the queue never grows above its limit, however much is due', () => {
    const { builds } = decided(AUTOMATIC_PAUSE_ABOVE, flood(5000));
    expect(AUTOMATIC_PAUSE_ABOVE + builds.length).toBe(MAX_QUEUED_BUILDS);
  });

  test('requests of people are accepted up to the limit and refused above it', () => {
    const { builds, refused } = decided(MAX_QUEUED_BUILDS - 2, [
      jobWithRequest(1),
      jobWithRequest(2),
      jobWithRequest(3),
    ]);
    expect(builds.map((build) => build.job)).toEqual([1, 2]);
    expect(refused).toMatchObject([{ request: 3, reasons: [{ code: 'QueueFull' }] }]);
  });

  test.each<[string, Partial<JobFacts>]>([
    ['automatic builds leave room for requests', {}],
    [
      'builds of an interruptible job count, since those of other pull requests stay',
      { interruptible: true },
    ],
  ])('%s', (_sentence, more) => {
    const requests = upTo(600).map((id) => ({ id, by: 'ann' }));
    const due = job(700, [get(upTo(MAX_UNUSED_VERSIONS))], { requests: requests.slice(500), ...more });
    const last = job(2000, [get([])], { requests: requests.slice(0, 500) });
    const jobs = [due, ...flood(1000).slice(700), last];
    const { builds, refused, unfinished } = decided(AUTOMATIC_PAUSE_ABOVE, jobs);
    expect(AUTOMATIC_PAUSE_ABOVE + builds.length).toBe(MAX_QUEUED_BUILDS);
    expect(refused).toEqual([]);
    expect(unfinished).toContain(1000);
  });

  describe('a cascaded build', () => {
    const jobs = [cascaded(2), cascaded(3)];
    const passes = [{ upstream: 1, resource: 1, rows: [{ build: 9, version: 1 }], end: true }];
    const used = [2, 3].map((id) => ({ job: id, get: 0, versions: [1], end: true }));
    const decide = (queued: number) => decideBuilds({ ...facts(jobs), passes, used, queued });

    test('is created below the limit for automatic builds', () => {
      expect(decide(AUTOMATIC_PAUSE_ABOVE).builds.map((build) => build.job)).toEqual([2, 3]);
    });

    test('waits above the limit: its request is not refused, and the reason says so', () => {
      const { builds, refused, unfinished, waiting } = decide(AUTOMATIC_PAUSE_ABOVE + 1);
      expect([builds, refused, unfinished]).toEqual([[], [], [2, 3]]);
      const waits = { reasons: [{ code: 'QueueFull' }] };
      expect(waiting).toMatchObject([
        { job: 2, ...waits },
        { job: 3, ...waits },
      ]);
    });
  });

  test('retries above the limit are refused', () => {
    const build = { number: '7', status: 'failed', approved: false, retries: 0, versionGone: false } as const;
    const retried = { ...build, job: { name: 'unit', paused: false, pipelinePaused: false } };
    expect(decideRetry({ ...retried, queued: MAX_QUEUED_BUILDS - 1 }).answer).toBe('retry');
    expect(decideRetry({ ...retried, queued: MAX_QUEUED_BUILDS })).toMatchObject({
      answer: 'refused',
      reasons: [{ code: 'QueueFull' }],
    });
  });
});

/** How often one decision on this number of jobs reads their fields. */
function readsFor(jobs: number): number {
  const jobFacts = counted(upTo(jobs).map((id) => job(id, [get([1])], { requests: [{ id, by: 'ann' }] })));
  decideBuilds(facts(jobFacts.items));
  return jobFacts.reads();
}

test('the work of a decision grows linearly with the number of jobs', () => {
  // Sorting alone grows a little faster.
  expect(readsFor(4000) / readsFor(1000)).toBeLessThan(4.6);
});
