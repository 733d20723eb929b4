import { expect, test } from '@jest/globals';
import type { Pipeline, Resource, ResourceType } from '#domain/pipeline/pipeline.ts';
import type { ActionStep, Hooks, Step } from '#domain/pipeline/steps.ts';
import { cachesOfBuild, cachesOfChecks, type CacheUse } from './cache-volumes.ts';
import { containersOf } from './containers.ts';
import { planBuild } from './plan-build.ts';
import { planChecks } from './plan-checks.ts';
import { stepsIn } from './plan-tree.ts';
import { planWithoutSecrets } from './withhold-secrets.ts';

const shell = (cmd: string) => ({ runner: 'shell', cmd, env: {} }) as const;
const inImage = (image: string) => ({ runner: 'docker', image, cmd: 'true', args: [], env: {} }) as const;
const git: ResourceType = {
  name: 'git',
  builtIn: true,
  params: [],
  cache: true,
  check: shell('check'),
  pull: shell('pull'),
  push: shell('push'),
};
const ownType: ResourceType = { ...git, name: 'own', builtIn: false, pull: inImage('tool:1') };
const resource = (type: string, label: string, cache = true): Resource => ({
  name: `${type}.${label}`,
  type,
  label,
  params: {},
  tags: [],
  cache,
});
const get = (name: string): ActionStep => ({
  kind: 'get',
  name: name.split('.')[1] ?? '',
  resource: name,
  trigger: true,
  passed: [],
  version: 'latest',
});
const task = (name: string): Step => ({ kind: 'task', name, run: inImage('go:1'), env: {} });
const pipelineOf = (steps: Step[]): Pipeline => ({
  resourceTypes: [git, ownType],
  resources: [resource('git', 'app'), resource('git', 'bare', false), resource('own', 'store')],
  jobs: [{ name: 'unit', steps, tags: [] }],
});
const needsOf = (pipeline: Pipeline) => cachesOfBuild(pipeline, 'unit', containersOf(pipeline, 'unit'));

test('a cache is mounted only into the containers in which commands of its resource run', () => {
  expect(needsOf(pipelineOf([get('git.app'), get('own.store'), task('test')]))).toEqual([
    { resource: 'git.app', containers: ['worker'], byDefault: true },
    { resource: 'own.store', containers: ['image-1-tool'], byDefault: false },
  ]);
});

test('a resource with `cache = false` and a job without resources need no cache', () => {
  expect(needsOf(pipelineOf([get('git.bare')]))).toEqual([]);
  expect(needsOf(pipelineOf([task('test')]))).toEqual([]);
});

test('a command that is a hook of a get may run in another container, which mounts the cache too', () => {
  const hooks: Hooks = { ensure: [{ kind: 'command', run: inImage('tool:1') }] };
  expect(needsOf(pipelineOf([{ ...get('git.app'), hooks }]))).toEqual([
    { resource: 'git.app', containers: ['image-1-tool', 'worker'], byDefault: true },
  ]);
});

test('only checks of types that a pipeline defines need caches', () => {
  const pipeline = pipelineOf([]);
  expect(cachesOfChecks(pipeline, ['git.app'], [{ name: 'worker' }])).toEqual([]);
  expect(cachesOfChecks(pipeline, ['own.store'], [{ name: 'worker' }])).toEqual([
    { resource: 'own.store', containers: ['worker'], byDefault: false },
  ]);
});

const mounted: CacheUse = { cache: 1, generation: 1, resource: 'git.app' };
const busy: CacheUse = {
  cache: 2,
  generation: 1,
  resource: 'own.store',
  leftOut: { reason: 'Busy', message: 'build 3 of job deploy uses it.' },
};
const buildToPlan = () => {
  const pipeline = pipelineOf([get('git.app'), get('own.store'), task('test')]);
  const build = { id: '1', team: 'blue', pipeline: 'demo', job: 'unit', number: '4', attempt: 1 };
  return { build, pipeline, versions: [{ ref: 'a' }, { ref: 'b' }], caches: [mounted, busy] };
};

test('only the steps of a resource whose cache is mounted see `$CACHE_DIR`', () => {
  const folder = '/home/millrace/.cache/millrace/cache/blue/demo/git.app';
  const steps = stepsIn(planBuild(buildToPlan()).steps);
  expect(steps.map(({ env }) => env['CACHE_DIR'])).toEqual([folder, undefined, undefined]);
});

const restore: Step = {
  kind: 'task',
  name: 'cache deps: restore',
  cache: 'deps',
  run: shell('restore'),
  env: { cache_key: 'npm-$TASK_HASH_LOCK' },
};
const save: Step = { ...restore, name: 'cache deps: save' };

test('a cache of a job is mounted into the containers of the worker image, once for its two tasks', () => {
  expect(needsOf(pipelineOf([restore, task('test'), save]))).toEqual([
    { resource: 'unit:deps', containers: ['worker'], byDefault: false },
  ]);
});

test('only the tasks that restore and save a cache of the job see `$CACHE_DIR`', () => {
  const pipeline = pipelineOf([restore, { kind: 'task', name: 'own', run: shell('x') }, save]);
  const caches = [{ ...mounted, resource: 'unit:deps' }];
  const steps = stepsIn(planBuild({ ...buildToPlan(), pipeline, versions: [], caches }).steps);
  const folder = '/home/millrace/.cache/millrace/cache/blue/demo/unit/deps';
  expect(steps.map(({ env }) => env['CACHE_DIR'])).toEqual([folder, undefined, folder]);
  expect(steps.map(({ cache, exports }) => [cache, exports])).toEqual([
    ['unit:deps', undefined],
    [undefined, 'TASK_OWN_'],
    ['unit:deps', undefined],
  ]);
});

test('a line of the log names each cache that is left out', () => {
  const line = 'own.store has no cache in this build: build 3 of job deploy uses it.';
  expect(planBuild(buildToPlan()).notice).toBe(line);
  const withheld = planWithoutSecrets(buildToPlan(), buildToPlan().pipeline, 'No secrets.');
  expect(withheld.notice).toBe(`No secrets. ${line}`);
});

test('a check sees `$CACHE_DIR` if the cache of its resource is mounted', () => {
  const { pipeline } = buildToPlan();
  const checks = [{ scope: '1', resource: 'own.store' }];
  const checkRun = { run: '1', team: 'blue', name: 'demo', pipeline, checks };
  const cacheDirWith = (caches: CacheUse[]) =>
    planChecks({ ...checkRun, caches }).checks[0]?.env['CACHE_DIR'];
  expect(cacheDirWith([{ ...mounted, resource: 'own.store' }])).toBe(
    '/home/millrace/.cache/millrace/cache/blue/demo/own.store',
  );
  expect(cacheDirWith([busy])).toBeUndefined();
});
