import { describe, expect, test } from '@jest/globals';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { planBuild } from './plan-build.ts';
import { planChecks } from './plan-checks.ts';
import { needsOfBuild, needsOfChecks } from './pod-needs.ts';

const shell = (cmd: string) => ({ runner: 'shell' as const, cmd });
const image = { runner: 'docker' as const, image: 'registry.example/safe:1', cmd: 'show' };

/** `outer` needs `inner`, which a get in another image fetches. */
const declared: Pick<Pipeline, 'secrets' | 'secretTypes'> = {
  secrets: [
    { name: 'outer', type: 'safe', key: 'a' },
    { name: 'inner', type: 'boxed', key: 'b' },
    { name: 'stored', type: 'store', key: 'c' },
  ],
  secretTypes: [
    { name: 'safe', builtIn: false, config: { token: makeSecretPlaceholder('inner') }, get: shell('show') },
    { name: 'boxed', builtIn: false, config: {}, get: image },
    { name: 'store', builtIn: true, origin: { source: 'svc://store' }, config: {} },
  ],
};
const WORKER = { name: 'worker' };
const SECRETS = { name: 'secrets', forSecrets: true };
const BOXED = { name: 'secrets-image-1-safe', image: 'registry.example/safe:1', forSecrets: true };

const pipelineWith = (script: string, token = ''): Pipeline => ({
  ...samplePipeline({
    resources: [resource('git.app', { params: { token } })],
    jobs: [job('unit', get('git.app'), { kind: 'task', name: 'test', run: shell(script) })],
  }),
  ...declared,
});
const build = { id: '1', team: 'main', pipeline: 'app', job: 'unit', number: '1', attempt: 1 };

describe('the Pod of a build', () => {
  test.each([
    ['that names no secret has no container for secrets', 'true', [WORKER]],
    ['that names a stored secret has no container for secrets', makeSecretPlaceholder('stored'), [WORKER]],
    [
      'that names the secret of a get has a container for the get',
      makeSecretPlaceholder('inner'),
      [WORKER, BOXED],
    ],
    [
      'that names a secret which needs another one has containers for both gets',
      makeSecretPlaceholder('outer'),
      [WORKER, SECRETS, BOXED],
    ],
  ])('%s', (_title, script, containers) => {
    const pipeline = pipelineWith(script);
    expect(needsOfBuild(pipeline, 'unit').containers).toEqual(containers);
    expect(planBuild({ build, pipeline, versions: [{}] }).containers).toEqual(containers);
  });

  test('has no container for a version that looks like a secret', () => {
    const versions = [{ ref: makeSecretPlaceholder('outer') }];
    expect(planBuild({ build, pipeline: pipelineWith('true'), versions }).containers).toEqual([WORKER]);
  });

  test('runs no step in the container for secrets', () => {
    const plan = planBuild({ build, pipeline: pipelineWith(makeSecretPlaceholder('outer')), versions: [{}] });
    expect(plan.steps).toMatchObject([{}, { command: { container: 'worker' } }]);
  });
});

test('the Pod of a check has a container for the get of its secret', () => {
  const pipeline = pipelineWith('true', makeSecretPlaceholder('inner'));
  expect(needsOfChecks(pipeline, ['git.app']).containers).toEqual([WORKER, BOXED]);
  const checks = [{ scope: '1', resource: 'git.app' }];
  const run = planChecks({ run: '1', team: 'main', name: 'app', pipeline, checks });
  expect(run.containers).toEqual([WORKER, BOXED]);
});
