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
const build = (jobId: number, ...versions: number[]): BuildDecision => ({
  job: jobId,
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
const inputsWith = (app: number, tools: number) => [
  { resource: APP, version: app },
  { resource: TOOLS, version: tools },
];

/**
 * 11 and 12 are versions of pull request 1, and 21 is a version of pull request 2. 31 and 91 are versions of
 * the branch main, and 92 is a version of the branch next.
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

describe('interruptions', () => {
  test('a build with a version for a get that its job lacks is an error', () => {
    const surplus = decision(build(7, 11, 91, 5));
    expect(() => interruptOlder(surplus, JOBS, { open: [], origins })).toThrow(
      'A build of job 7 has a version for get 2, which the job lacks.',
    );
  });

  test('only builds of interruptible jobs interrupt others', () => {
    expect(interruptingBuilds(JOBS, [build(8, 11, 91), build(7, 12, 91), build(7, 21, 91)])).toEqual({
      jobs: [7],
      versions: [12, 91, 21],
    });
  });

  test('a build interrupts only open builds of the same pull request and the same job', () => {
    const open = [
      { id: 100, job: 7, inputs: inputsWith(11, 91) },
      { id: 101, job: 7, inputs: inputsWith(21, 91) },
      { id: 102, job: 7, inputs: inputsWith(31, 91) },
      { id: 103, job: 8, inputs: inputsWith(11, 91) },
    ];
    expect(interruptOlder(decision(build(7, 12, 92)), JOBS, { open, origins }).interrupted).toEqual([100]);
  });

  test('a build without a pull request interrupts only builds without one', () => {
    const open = [
      { id: 100, job: 7, inputs: inputsWith(1, 91) },
      { id: 101, job: 7, inputs: inputsWith(11, 91) },
    ];
    expect(interruptOlder(decision(build(7, 2, 92)), JOBS, { open, origins }).interrupted).toEqual([100]);
  });

  test('a build interrupts earlier builds of the same decision and the same pull request', () => {
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

  test('all inputs count if no get triggers the job', () => {
    const withoutTriggers = [job(7, { interruptible: true, gets: [get(APP, false), get(TOOLS, false)] })];
    const open = [
      { id: 100, job: 7, inputs: inputsWith(11, 91) },
      { id: 101, job: 7, inputs: inputsWith(11, 92) },
    ];
    expect(
      interruptOlder(decision(build(7, 12, 92)), withoutTriggers, { open, origins }).interrupted,
    ).toEqual([101]);
  });
});

test('a retry interrupts the open builds of the same pull request', () => {
  const open = [
    { id: 100, job: 7, inputs: inputsWith(12, 91) },
    { id: 101, job: 7, inputs: inputsWith(21, 91) },
  ];
  const gets = [get(APP, true), get(TOOLS, false)];
  expect(interruptedByRetry({ open, origins, gets, inputs: inputsWith(11, 92) })).toEqual([100]);
});
