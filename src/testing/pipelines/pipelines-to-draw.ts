import type { Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import type { Step } from '#domain/pipeline/steps.ts';

/** Short ways to write pipelines in tests of pictures. */
export const get = (resource: string, ...passed: string[]): Step => ({
  kind: 'get',
  name: resource.split('.')[1] ?? resource,
  resource,
  trigger: true,
  passed,
});

/** A get that does not trigger. */
export const getWithoutTrigger = (resource: string, ...passed: string[]): Step => ({
  kind: 'get',
  name: resource,
  resource,
  trigger: false,
  passed,
});

export const put = (resource: string) => ({ kind: 'put' as const, name: resource, resource, params: {} });

export const job = (name: string, ...steps: Step[]): Job => ({ name, steps });

export const pipelineOf = (...jobs: Job[]): Pipeline => ({ resourceTypes: [], resources: [], jobs });

/** A pipeline with every kind of node and edge. */
export const samplePipeline: Pipeline = pipelineOf(
  job('lint', get('git.app')),
  job('typecheck', get('git.app')),
  job('unit', get('git.app'), getWithoutTrigger('image.base')),
  ...['linux-amd64', 'linux-arm64', 'darwin'].map((key) =>
    job(`integration--${key}`, get('git.app', 'lint', 'unit')),
  ),
  job('build', get('git.app', 'unit'), put('image.app')),
  job('deploy-staging', get('image.app', 'build'), get('git.config')),
  job('smoke', get('image.app', 'deploy-staging'), get('cron.nightly')),
  job('deploy-production', getWithoutTrigger('image.app', 'smoke'), put('git.releases')),
);
