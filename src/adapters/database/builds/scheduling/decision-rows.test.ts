import { expect, test } from '@jest/globals';
import type { Decision } from '#domain/scheduling/decision.ts';
import { counted } from '#testing/scheduling/counted.ts';
import { rowsOf } from './decision-rows.ts';
import type { GatheredJob } from './gather.ts';

const PER_JOB = 4;
const EMPTY = { interrupted: [], waiting: [], refused: [], settled: [], unfinished: [], needs: [] };
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

const gatheredJob = (id: number): GatheredJob => ({
  facts: { id, name: `job-${id}`, paused: false, gets: [], requests: [] },
  team: 'main',
  pipeline: 'app',
  revision: 1,
  nextNumber: 5,
  requested: 8,
  gets: [{ name: 'app', resource: 3, nth: 0 }],
  turnConstraints: { paused: false, serialGroups: [] },
});

function decisionOn(jobs: number): Decision {
  const builds = upTo(jobs).flatMap((job) =>
    upTo(PER_JOB).map((version): Decision['builds'][number] => {
      return {
        job,
        versions: [version],
        cause: { kind: 'manual', request: version, by: 'ann' },
        state: 'pending',
      };
    }),
  );
  return { ...EMPTY, builds, unfinished: upTo(jobs) };
}

/**
 * How often fields of jobs and builds are read while a decision on this many jobs is turned into rows, and
 * the inserted rows into builds.
 */
function readsFor(jobs: number): number {
  const countedJobs = counted(upTo(jobs).map(gatheredJob));
  const decision = decisionOn(jobs);
  const countedBuilds = counted(decision.builds);
  const rows = rowsOf(countedJobs.items, { ...decision, builds: countedBuilds.items }, new Set());
  for (const [id, { job, number }] of rows.builds.entries()) rows.toMadeBuild({ id, job, number });
  return countedJobs.reads() + countedBuilds.reads();
}

test('the work on a decision grows linearly with the number of its builds', () => {
  expect(readsFor(2000) / readsFor(500)).toBeLessThan(4.1);
});

test('numbers are consecutive per job, and unfinished jobs are requested again', () => {
  const rows = rowsOf([gatheredJob(1), gatheredJob(2)], { ...decisionOn(1), unfinished: [2] }, new Set());
  expect(rows.builds.map(({ job, number }) => `${job} ${number}`)).toEqual(['1 5', '1 6', '1 7', '1 8']);
  expect(rows.inputs[3]).toEqual({
    job: 1,
    number: 8,
    position: 0,
    name: 'app',
    resource: 3,
    nth: 0,
    version: 4,
  });
  expect(rows.seen).toEqual([
    { job: 1, next: 9, seen: 8 },
    { job: 2, next: 5, seen: 7 },
  ]);
  expect(rows.toMadeBuild({ id: 70, job: 1, number: 6 })).toMatchObject({ id: 70, number: '6', request: 2 });
});

test('a decision on a job that was not requested is refused', () => {
  expect(() => rowsOf([], decisionOn(1), new Set())).toThrow('Decided on job 1');
});

test('builds of the jobs that may start at once do so unless they wait for approval', () => {
  const { builds, ...decision } = decisionOn(3);
  const gated = builds.map((build): Decision['builds'][number] =>
    build.job === 2 ? { ...build, state: 'waiting' } : build,
  );
  const rows = rowsOf([1, 2, 3].map(gatheredJob), { ...decision, builds: gated }, new Set([1, 2]));
  const atOnce = rows.builds.filter((build) => build.at_once).map(({ job }) => job);
  expect(atOnce).toEqual([1, 1, 1, 1]);
});
