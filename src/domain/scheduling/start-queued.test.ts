import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { counted } from '#testing/scheduling/counted.ts';
import { RUNS } from '#testing/scheduling/runs.ts';
import {
  startQueued,
  startsAtOnce,
  type OpenBuild,
  type StartDecision,
  type StartFacts,
  type StartJob,
} from './start-queued.ts';

type JobWithBuilds = Partial<StartJob> & { builds?: string };

/**
 * Jobs by name. `builds` has the ids of their builds: `7` is queued, `7!` is running, and `7@3` is queued at
 * the position of build 3.
 */
function facts(jobs: Record<string, JobWithBuilds>, limit?: number): StartFacts {
  const entries = Object.entries(jobs);
  return {
    jobs: entries.map(([name, drawn], index) => ({
      id: index + 1,
      name,
      pipeline: 1,
      paused: false,
      pipelinePaused: false,
      serialGroups: [],
      ...drawn,
    })),
    builds: entries.flatMap(([, { builds = '' }], index) =>
      builds
        .split(' ')
        .filter((word) => word !== '')
        .map((word): OpenBuild => ({
          id: Number.parseInt(word),
          job: index + 1,
          number: String(Number.parseInt(word)),
          state: word.endsWith('!') ? 'running' : 'queued',
          ...(word.includes('@') ? { place: Number.parseInt(word.split('@')[1] ?? '') } : {}),
        })),
    ),
    ...(limit === undefined ? {} : { limit }),
  };
}

/** `start 1 2; 3 Concurrency` */
function describeDecision({ start, held }: StartDecision): string {
  const why = held.map(({ build, reasons }) => `${build} ${reasons.map(({ code }) => code).join(' ')}`);
  return [`start ${start.join(' ')}`.trim(), ...why].join('; ');
}

const anyJob: StartJob = {
  id: 0,
  name: 'j',
  pipeline: 1,
  paused: false,
  pipelinePaused: false,
  serialGroups: [],
};

const prod = { serialGroups: ['prod'] };

describe('queued builds', () => {
  test.each<[string, StartFacts, string]>([
    [
      'all queued builds start when nothing is limited',
      facts({ unit: { builds: '1 2' }, lint: { builds: '3' } }),
      'start 1 2 3',
    ],
    [
      'a build that superseded another takes its position in the queue',
      facts({ unit: { builds: '2 7@1' }, ship: { builds: '3' } }, 1),
      'start 7; 2 TeamLimit; 3 TeamLimit',
    ],
    [
      'queued builds wait for the concurrency of their job, oldest first',
      facts({ unit: { concurrency: 2, builds: '1! 2 3' } }),
      'start 2; 3 Concurrency',
    ],
    [
      'queued builds wait while a build of another job holds their serial group',
      facts({ ship: { ...prod, builds: '1!' }, migrate: { ...prod, builds: '2' } }),
      'start; 2 SerialGroup',
    ],
    [
      'the serial group of a job does not limit the builds of that job',
      facts({ ship: { ...prod, builds: '1! 2' } }),
      'start 2',
    ],
    [
      'each pipeline has serial groups of its own',
      facts({ ship: { ...prod, builds: '1!' }, other: { ...prod, pipeline: 2, builds: '2' } }),
      'start 2',
    ],
    [
      'a build that waits for two groups reserves both, so younger builds cannot overtake it for ever',
      facts({
        east: { serialGroups: ['east'], builds: '1!' },
        both: { serialGroups: ['east', 'west'], builds: '2' },
        west: { serialGroups: ['west'], builds: '3' },
      }),
      'start; 2 SerialGroup; 3 SerialGroupQueue',
    ],
    [
      'queued builds do not wait for an older paused one',
      facts({ ship: { ...prod, paused: true, builds: '1' }, migrate: { ...prod, builds: '2' } }),
      'start 2; 1 JobPaused',
    ],
    [
      'queued builds of a paused pipeline wait and running ones continue',
      facts({ ship: { paused: true, pipelinePaused: true, builds: '1! 2' } }),
      'start; 2 PipelinePaused',
    ],
    [
      'queued builds of all pipelines wait for the limit of the team, oldest first',
      facts({ unit: { builds: '1! 4' }, lint: { pipeline: 2, builds: '3' } }, 2),
      'start 3; 4 TeamLimit',
    ],
    [
      'a queued build has every reason at once',
      facts({ ship: { ...prod, concurrency: 1, builds: '1! 3' }, migrate: { ...prod, builds: '2!' } }, 1),
      'start; 3 Concurrency SerialGroup TeamLimit',
    ],
    [
      'builds of an older request go first even if they were approved later',
      facts({ ship: { ...prod, builds: '1' }, migrate: { ...prod, builds: '2' } }),
      'start 1; 2 SerialGroup',
    ],
  ])('%s', (_, startFacts, expected) => {
    expect(describeDecision(startQueued(startFacts))).toBe(expected);
  });

  test('reasons say in words what queued builds wait for', () => {
    const { held } = startQueued(
      facts({ ship: { ...prod, builds: '7!' }, migrate: { ...prod, concurrency: 1, builds: '3! 8' } }, 2),
    );
    expect(held[0]?.reasons).toEqual([
      {
        code: 'Concurrency',
        message: 'migrate runs 1 build at a time, and build 3 is running.',
        data: { have: 1, want: 1 },
      },
      {
        code: 'SerialGroup',
        message: 'Build 7 of ship holds the serial group prod.',
        data: { group: 'prod', build: { job: 'ship', number: '7' } },
      },
      {
        code: 'TeamLimit',
        message: 'The team runs 2 builds at a time, and 2 are running.',
        data: { have: 2, want: 2 },
      },
    ]);
  });
});

test.each([
  ['at the limit of the team', { limit: 20 }, []],
  ['with serial groups', {}, ['a', 'b']],
])('a decision on a long queue %s takes linear work', (_, more, serialGroups) => {
  const readsOf = (length: number): number => {
    const jobs = Array.from({ length: length / 10 }, (__, id) => ({ ...anyJob, id, serialGroups }));
    const queue = Array.from({ length }, (__, id): OpenBuild => ({
      id,
      job: id % jobs.length,
      number: String(id),
      state: id < 20 ? 'running' : 'queued',
    }));
    const { items, reads } = counted(queue);
    const countedJobs = counted(jobs);
    startQueued({ ...more, jobs: countedJobs.items, builds: items });
    return reads() + countedJobs.reads();
  };
  expect(readsOf(10_000) / readsOf(1000)).toBeLessThan(15);
});

/**
 * Plays steps in which builds arrive and one running build ends. Then builds only end, one by one. Returns
 * the builds that are left.
 */
function playToEnd(
  drawn: {
    jobs: { concurrency: number | undefined; groups: string[] }[];
    steps: { end: number; arriving: number[] }[];
    limit: number;
  },
  inspect: (known: StartFacts) => void,
): OpenBuild[] {
  const jobs = drawn.jobs.map(({ concurrency, groups }, index): StartJob => ({
    id: index,
    name: `j${index}`,
    pipeline: 1,
    paused: false,
    pipelinePaused: false,
    serialGroups: groups,
    ...(concurrency === undefined ? {} : { concurrency }),
  }));
  let builds: OpenBuild[] = [];
  let id = 0;
  const quietSteps = Array.from({ length: 3 * drawn.steps.length + 3 }, () => ({ end: 0, arriving: [] }));
  for (const { end, arriving } of [...drawn.steps, ...quietSteps]) {
    for (const index of arriving) {
      id += 1;
      builds.push({ id, job: index % jobs.length, number: String(id), state: 'queued' });
    }
    const { start } = startQueued({ jobs, builds, limit: drawn.limit });
    builds = builds.map((build) => (start.includes(build.id) ? { ...build, state: 'running' } : build));
    inspect({ jobs, builds, limit: drawn.limit });
    const running = builds.filter(({ state }) => state === 'running');
    const ended = running[end % Math.max(1, running.length)];
    builds = builds.filter((build) => build !== ended);
  }
  return builds;
}

describe('random sequences of builds', () => {
  const job = fc.record({
    concurrency: fc.constantFrom(undefined, 1, 2),
    groups: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 2 }),
  });
  const step = fc.record({ end: fc.nat(5), arriving: fc.array(fc.nat(5), { maxLength: 3 }) });

  const drawn = fc.record({
    jobs: fc.array(job, { minLength: 1, maxLength: 4 }),
    steps: fc.array(step, { maxLength: 15 }),
    limit: fc.integer({ min: 1, max: 4 }),
  });

  test('no limit is ever exceeded', () => {
    fc.assert(
      fc.property(drawn, (example) => {
        playToEnd(example, ({ jobs, builds, limit = 0 }) => {
          const running = builds.filter(({ state }) => state === 'running');
          expect(running.length).toBeLessThanOrEqual(limit);
          for (const { id, concurrency = Infinity } of jobs)
            expect(running.filter((build) => build.job === id).length).toBeLessThanOrEqual(concurrency);
          for (const group of ['a', 'b', 'c']) {
            const holders = running.filter((build) => jobs[build.job]?.serialGroups.includes(group));
            expect(new Set(holders.map((build) => build.job)).size).toBeLessThanOrEqual(1);
          }
        });
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });

  test('every build has its turn', () => {
    fc.assert(
      fc.property(drawn, (example) => {
        expect(playToEnd(example, () => undefined)).toEqual([]);
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });

  test('a build that no limit concerns starts at once, whatever runs and waits', () => {
    const drawnState = fc.record({
      jobs: fc.array(fc.record({ paused: fc.boolean(), job }), { minLength: 1, maxLength: 4 }),
      builds: fc.array(fc.tuple(fc.nat(3), fc.constantFrom('queued', 'running')), { maxLength: 8 }),
      limit: fc.constantFrom(undefined, 1, 3),
    });
    // A job without limits of its own, with a queued build, is added to the drawn jobs: only the limit of the
    // team concerns it.
    const free = { paused: false, job: { concurrency: undefined, groups: [] } };
    let buildsAtOnce = 0;
    fc.assert(
      fc.property(drawnState, ({ jobs: others, builds: ofOthers, limit }) => {
        const drawnJobs = [...others, free];
        const drawnBuilds = [...ofOthers, [others.length, 'queued'] as const];
        const jobs = drawnJobs.map(({ paused, job: { concurrency, groups } }, id) => ({
          id,
          name: `j${id}`,
          pipeline: 1,
          paused,
          pipelinePaused: false,
          serialGroups: groups,
          ...(concurrency === undefined ? {} : { concurrency }),
        }));
        const builds = drawnBuilds.map(([jobIndex, state], id): OpenBuild => ({
          id,
          job: jobIndex % jobs.length,
          number: String(id),
          state,
        }));
        const limited = limit === undefined ? {} : { limit };
        const { start } = startQueued({ jobs, builds, ...limited });
        const atOnce = jobs
          .filter((candidate) => startsAtOnce({ ...candidate, ...limited }))
          .map(({ id }) => id);
        const queued = builds.filter((build) => build.state === 'queued' && atOnce.includes(build.job));
        buildsAtOnce += queued.length;
        expect(start).toEqual(expect.arrayContaining(queued.map(({ id }) => id)));
      }),
      { numRuns: RUNS },
    );
    expect(buildsAtOnce).toBeGreaterThan(RUNS / 50);
  });

  test('the order of facts does not matter', () => {
    fc.assert(
      fc.property(drawn, (example) => {
        playToEnd(example, (startFacts) => {
          const { jobs, builds } = startFacts;
          const reversed = { ...startFacts, jobs: jobs.toReversed(), builds: builds.toReversed() };
          expect(startQueued(reversed).start).toEqual(startQueued(startFacts).start);
        });
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });

  test('a stream of younger builds does not overtake a build of the same groups for ever', () => {
    const jobs = ['east', 'west', 'both'].map((name, id): StartJob => ({
      id,
      name,
      pipeline: 1,
      paused: false,
      pipelinePaused: false,
      serialGroups: name === 'both' ? ['east', 'west'] : [name],
    }));
    let builds: OpenBuild[] = [
      { id: 1, job: 0, number: '1', state: 'running' },
      { id: 2, job: 2, number: '2', state: 'queued' },
    ];
    for (let round = 0; round < 3; round += 1) {
      builds.push({ id: 10 + round, job: round % 2, number: String(10 + round), state: 'queued' });
      const { start } = startQueued({ jobs, builds });
      builds = builds
        .filter(({ state }) => state === 'queued')
        .map((build) => (start.includes(build.id) ? { ...build, state: 'running' } : build));
      if (start.includes(2)) return;
    }
    throw new Error('The build never had its turn.');
  });
});
