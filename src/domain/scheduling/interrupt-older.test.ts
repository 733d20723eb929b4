import { describe, expect, test } from '@jest/globals';
import type { BuildDecision, DecidedBuilds } from './decision.ts';
import type { JobFacts } from './facts.ts';
import { interruptedByRetry, interruptingBuilds, interruptOlder } from './interrupt-older.ts';

const APP = 1;
const TOOLS = 2;
const get = (resource: number, trigger: boolean): JobFacts['gets'][number] => ({
  resource,
  trigger,
  passed: [],
  every: false,
  baseline: 0,
  unused: [],
});
const job = (id: number, more: Partial<JobFacts> = {}): JobFacts => ({
  id,
  name: `job ${id}`,
  paused: false,
  gets: [get(APP, true), get(TOOLS, false)],
  requests: [],
  ...more,
});
const build = (of: number, ...versions: number[]): BuildDecision => ({
  job: of,
  versions,
  cause: { kind: 'version', resource: APP, version: versions[0] ?? 0 },
  state: 'pending',
});
const decision = (...builds: BuildDecision[]): DecidedBuilds => ({
  builds,
  waiting: [],
  refused: [],
  settled: [],
  unfinished: [],
  needs: [],
});
const took = (app: number, tools: number) => [
  { resource: APP, version: app },
  { resource: TOOLS, version: tools },
];

/**
 * 11 and 12 are versions of request 1, 21 is one of request 2, 31 of the branch main; 91 and 92 of branches.
 */
const origins = new Map([
  [11, { pr: '1' }],
  [12, { pr: '1' }],
  [21, { pr: '2' }],
  [31, { branch: 'main' }],
  [91, { branch: 'main' }],
  [92, { branch: 'next' }],
]);
const JOBS = [job(7, { interruptible: true }), job(8)];

describe('builds that interrupt older ones', () => {
  test('have a version for each get of their job, and for nothing else', () => {
    const surplus = decision(build(7, 11, 91, 5));
    expect(() => interruptOlder(surplus, JOBS, { open: [], origins })).toThrow(
      'A build of job 7 has a version for get 2, which the job lacks.',
    );
  });

  test('are those of interruptible jobs', () => {
    expect(interruptingBuilds(JOBS, [build(8, 11, 91), build(7, 12, 91), build(7, 21, 91)])).toEqual({
      jobs: [7],
      versions: [12, 91, 21],
    });
  });

  test('end open builds of the same request and of the same job only', () => {
    const open = [
      { id: 100, job: 7, inputs: took(11, 91) },
      { id: 101, job: 7, inputs: took(21, 91) },
      { id: 102, job: 7, inputs: took(31, 91) },
      { id: 103, job: 8, inputs: took(11, 91) },
    ];
    expect(interruptOlder(decision(build(7, 12, 92)), JOBS, { open, origins }).interrupted).toEqual([100]);
  });

  test('end open builds of no request only if they are of none themselves', () => {
    const open = [
      { id: 100, job: 7, inputs: took(1, 91) },
      { id: 101, job: 7, inputs: took(11, 91) },
    ];
    expect(interruptOlder(decision(build(7, 2, 92)), JOBS, { open, origins }).interrupted).toEqual([100]);
  });

  test('end earlier builds of the same decision and the same request', () => {
    const made = interruptOlder(
      decision(build(7, 11, 91), build(7, 21, 91), build(8, 11, 91), build(7, 12, 91)),
      JOBS,
      { open: [], origins },
    );
    expect(made.builds.map(({ versions, state }) => `${versions[0]} ${state}`)).toEqual([
      '11 superseded',
      '21 pending',
      '11 pending',
      '12 pending',
    ]);
  });

  test('compare all inputs if no get triggers the job', () => {
    const byHand = [job(7, { interruptible: true, gets: [get(APP, false), get(TOOLS, false)] })];
    const open = [
      { id: 100, job: 7, inputs: took(11, 91) },
      { id: 101, job: 7, inputs: took(11, 92) },
    ];
    expect(interruptOlder(decision(build(7, 12, 92)), byHand, { open, origins }).interrupted).toEqual([101]);
  });
});

test('a retry interrupts the open builds of the request that it repeats', () => {
  const open = [
    { id: 100, job: 7, inputs: took(12, 91) },
    { id: 101, job: 7, inputs: took(21, 91) },
  ];
  const gets = [get(APP, true), get(TOOLS, false)];
  expect(interruptedByRetry({ open, origins, gets, inputs: took(11, 92) })).toEqual([100]);
});
