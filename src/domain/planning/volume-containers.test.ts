import { describe, expect, test } from '@jest/globals';
import type { Pipeline, ResourceType } from '#domain/pipeline/pipeline.ts';
import type { Step } from '#domain/pipeline/steps.ts';
import { get, job, put, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { checkContainersOf, containersOf } from './containers.ts';
import { planBuild } from './plan-build.ts';
import { planChecks } from './plan-checks.ts';
import { stepsIn } from './plan-tree.ts';

const fs: ResourceType = {
  name: 'fs',
  builtIn: true,
  params: ['path'],
  cache: false,
  origin: { source: 'svc://fs' },
  check: { runner: 'shell', cmd: 'check' },
  pull: { runner: 'shell', cmd: 'pull' },
  push: { runner: 'shell', cmd: 'push' },
};

function pipeline(...steps: Step[]): Pipeline {
  const sample = samplePipeline();
  return {
    ...sample,
    resourceTypes: [...sample.resourceTypes, fs, { ...fs, name: 'own', builtIn: false }],
    resources: [
      ...sample.resources,
      resource('fs.in', { params: { path: '/srv/in' } }),
      resource('fs.out', { params: { path: '/srv/out' } }),
      resource('own.like-fs', { params: { path: '/srv/in' } }),
    ],
    jobs: [job('unit', ...steps)],
  };
}

const parallel = (...resources: string[]): Step => ({
  kind: 'parallel',
  failFast: false,
  steps: resources.map((name) => ({ kind: 'get', name, resource: name, trigger: true, passed: [] })),
});
const withHook: Step = {
  kind: 'task',
  name: 'test',
  run: { runner: 'shell', cmd: 'true' },
  hooks: { ensure: [{ kind: 'put', name: 'out', resource: 'fs.out', params: {} }] },
};

const IN = { name: 'volume-1-fs-in', volume: { resource: 'fs.in', path: '/srv/in', writes: false } };
const OUT = { name: 'volume-2-fs-out', volume: { resource: 'fs.out', path: '/srv/out', writes: true } };

describe('the containers of a build', () => {
  const CASES: Record<string, [steps: Step[], containers: object[]]> = {
    'keep each resource on a volume apart from the other steps': [
      [get('git.app'), get('fs.in'), task('test'), put('fs.out')],
      [{ name: 'worker' }, IN, OUT],
    ],
    'are only that of the resource if nothing else runs': [[get('fs.in')], [IN]],
    'are shared by the gets and puts of a resource': [
      [get('fs.in'), put('fs.in')],
      [{ ...IN, volume: { ...IN.volume, writes: true } }],
    ],
    'are enough to run the gets of two resources in parallel': [
      [parallel('fs.in', 'git.app')],
      [{ name: 'worker' }, IN],
    ],
    'have lanes for parallel gets of one resource': [
      [parallel('fs.in', 'fs.in')],
      [
        { ...IN, pool: IN.name },
        { ...IN, name: `${IN.name}-lane-2`, pool: IN.name },
      ],
    ],
    'keep puts in hooks apart from other steps, too': [
      [withHook],
      [{ name: 'worker' }, { ...OUT, name: 'volume-1-fs-out' }],
    ],
    'mount nothing for a type of the pipeline, whatever its parameters': [
      [get('own.like-fs')],
      [{ name: 'worker' }],
    ],
  };
  test.each(Object.entries(CASES))('%s', (_, [steps, containers]) => {
    expect(containersOf(pipeline(...steps), 'unit')).toEqual(containers);
  });
});

test('each step of a plan runs in the container of its resource, and other steps in none of those', () => {
  const definition = pipeline(get('git.app'), get('fs.in'), task('test'), put('fs.out'));
  const build = { id: '1', team: 'blue', pipeline: 'app', job: 'unit', number: '1', attempt: 1 };
  const plan = planBuild({ build, pipeline: definition, versions: [{}, {}] });
  expect(stepsIn(plan.steps).map(({ command }) => command?.container)).toEqual([
    'worker',
    IN.name,
    'worker',
    OUT.name,
  ]);
});

test('a check of a resource on a volume runs in a container of its own, which only reads', () => {
  const definition = pipeline(put('fs.in'));
  expect(checkContainersOf(definition, ['fs.in'])).toEqual([IN]);
  const checks = [{ scope: '1', resource: 'fs.in' }];
  const run = planChecks({ run: '1', team: 'blue', name: 'app', pipeline: definition, checks });
  expect(run.checks).toMatchObject([{ command: { container: IN.name } }]);
});
