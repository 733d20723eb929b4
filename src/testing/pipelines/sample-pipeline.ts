import type { Job, Pipeline, Resource, ResourceType } from '#domain/pipeline/pipeline.ts';
import type { Step } from '#domain/pipeline/steps.ts';

const git: ResourceType = {
  name: 'git',
  builtIn: true,
  params: ['url'],
  cache: false,
  check: { runner: 'shell', cmd: 'echo "[]"' },
  pull: { runner: 'shell', cmd: 'true' },
  push: { runner: 'shell', cmd: 'true' },
};
const cron: ResourceType = { name: 'cron', builtIn: true, params: [], cache: false };

export function resource(name: string, more: Partial<Resource> = {}): Resource {
  const [type = '', label = ''] = name.split('.');
  return {
    name,
    type,
    label,
    params: {},
    tags: [],
    cache: false,
    schedule: { kind: 'every', seconds: 60 },
    ...more,
  };
}

export function get(resourceName: string, more: { trigger?: boolean; passed?: string[] } = {}): Step {
  const name = resourceName.split('.')[1] ?? '';
  return {
    kind: 'get',
    name,
    resource: resourceName,
    trigger: more.trigger ?? true,
    passed: more.passed ?? [],
  };
}

export function task(name: string): Step {
  return { kind: 'task', name, run: { runner: 'shell', cmd: 'true' } };
}

export function put(resourceName: string): Step {
  return { kind: 'put', name: resourceName.split('.')[1] ?? '', resource: resourceName, params: {} };
}

export function job(name: string, ...steps: Step[]): Job {
  return { name, steps };
}

/** `unit` gets every version of `git.app`; `publish` gets those that passed `unit`. */
export function samplePipeline(more: Partial<Pipeline> = {}): Pipeline {
  return {
    resourceTypes: [git, cron],
    resources: [resource('git.app')],
    jobs: [
      job('unit', get('git.app'), task('test')),
      job('publish', get('git.app', { passed: ['unit'] }), task('push')),
    ],
    ...more,
  };
}
