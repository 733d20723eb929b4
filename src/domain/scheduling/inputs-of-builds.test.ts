import { expect, test } from '@jest/globals';
import type { Input } from '#domain/pipeline/pipeline.ts';
import { decideBuilds } from './decide-builds.ts';
import type { DecidedBuilds } from './decision.ts';
import type { BuildRequest, JobFacts } from './facts.ts';

const INPUTS: Input[] = [
  { name: 'environment', type: 'choice', required: true, default: 'dev', options: ['dev', 'prod'] },
  { name: 'dry_run', type: 'bool', default: 'false' },
];
const AUTOMATIC = { environment: 'dev', dry_run: 'false' };

function decide(
  requests: Omit<BuildRequest, 'by'>[],
  more: Partial<JobFacts> & { unused?: boolean } = {},
): DecidedBuilds {
  const { unused = false, ...facts } = more;
  const get = { resource: 1, trigger: true, passed: [], every: false, baseline: 0, unused: [] };
  const versions = unused ? [] : [5];
  return decideBuilds({
    paused: false,
    resources: [{ id: 1, name: 'git.app', newest: 5 }],
    jobs: [
      {
        id: 1,
        name: 'deploy',
        paused: false,
        inputs: INPUTS,
        gets: [get],
        requests: requests.map((request) => ({ ...request, by: 'ann' })),
        ...facts,
      },
    ],
    passes: [],
    used: [{ job: 1, get: 0, versions, end: true }],
  });
}

const valuesOf = ({ builds }: DecidedBuilds) => builds.map(({ inputs }) => inputs);
const reasonsOf = ({ refused }: DecidedBuilds) =>
  refused.flatMap(({ reasons }) => reasons.map(({ code }) => code));

test('an automatic build has the default of each input', () => {
  expect(valuesOf(decide([], { unused: true }))).toEqual([AUTOMATIC]);
});

test('a build of a job without inputs has no values', () => {
  expect(valuesOf(decide([{ id: 1 }], { inputs: [] }))).toEqual([undefined]);
});

test('each request has its own values', () => {
  const decision = decide([
    { id: 1, inputs: { environment: 'prod' } },
    { id: 2, inputs: { environment: 'dev', dry_run: true } },
  ]);
  expect(valuesOf(decision)).toEqual([
    { environment: 'prod', dry_run: 'false' },
    { environment: 'dev', dry_run: 'true' },
  ]);
});

test('a build for both a request and a new version has the values of the request', () => {
  const inputs = { environment: 'prod' };
  expect(valuesOf(decide([{ id: 1, inputs }], { unused: true }))).toEqual([
    { environment: 'prod', dry_run: 'false' },
  ]);
  expect(valuesOf(decide([{ id: 1, inputs }], { unused: true, interruptible: true }))).toEqual([
    { environment: 'prod', dry_run: 'false' },
  ]);
});

test('a request is refused with every reason, those of inputs first', () => {
  const decision = decide([{ id: 1, inputs: { env: 'prod', dry_run: 'no' } }], { paused: true });
  expect(decision.builds).toEqual([]);
  expect(reasonsOf(decision)).toEqual(['InputUnknown', 'InputRequired', 'InputInvalid', 'JobPaused']);
});

test('a request with wrong inputs does not wait for its checks', () => {
  expect(reasonsOf(decide([{ id: 1, checking: true }]))).toEqual(['InputRequired']);
  expect(decide([{ id: 1, checking: true, inputs: { environment: 'dev' } }])).toMatchObject({
    builds: [],
    refused: [],
  });
});

test('a trigger of a version uses the defaults of inputs, and is refused if an input has none', () => {
  const request = { id: 1, version: { resource: 1, version: 5, disabled: false } };
  expect(valuesOf(decide([request], { inputs: INPUTS.slice(1) }))).toEqual([{ dry_run: 'false' }]);
  const { refused } = decide([request]);
  expect(refused[0]?.reasons).toEqual([
    {
      code: 'InputRequired',
      message:
        'Input environment has no default: give it one of its options: dev, prod. ' +
        'Pin the version and trigger the job itself.',
    },
  ]);
});
