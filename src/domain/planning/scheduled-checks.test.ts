import { expect, test } from '@jest/globals';
import type { Pipeline, Resource } from '#domain/pipeline/pipeline.ts';
import { scheduledChecks } from './scheduled-checks.ts';

const EVERY_MINUTE = { schedule: { kind: 'every', seconds: 60 } } as const;
const resource = (label: string, more: Partial<Resource>): Resource => ({
  name: `git.${label}`,
  type: 'git',
  label,
  params: {},
  tags: [],
  cache: false,
  ...more,
});
const pipelineOf = (...resources: Resource[]): Pipeline => ({
  resourceTypes: [
    { name: 'git', builtIn: true, params: [], cache: false, check: { runner: 'shell', cmd: 'true' } },
  ],
  resources,
  jobs: [],
});
const scheduled = (pipeline: Pipeline, allowedTags?: string[]) =>
  scheduledChecks(pipeline, { name: 'blue', workers: [], ...(allowedTags && { allowedTags }) }, (tag) => tag);

test('a group that is checked on request only gets no CronJob', () => {
  expect(scheduled(pipelineOf(resource('app', {})))).toEqual([]);
});

test('each group with a schedule gets what its Pods need', () => {
  const pipeline = pipelineOf(
    resource('app', EVERY_MINUTE),
    resource('docs', EVERY_MINUTE),
    resource('train', { ...EVERY_MINUTE, tags: ['gpu'] }),
  );
  expect(scheduled(pipeline)).toMatchObject([
    {
      group: { resources: ['git.app', 'git.docs'] },
      placement: { nodeSelector: {} },
      containers: [{ name: 'worker' }],
      deadlineSeconds: 900,
    },
    { group: { resources: ['git.train'] }, placement: { nodeSelector: { gpu: 'true' } } },
  ]);
});

test('a group whose tags the Team refuses gets none', () => {
  const pipeline = pipelineOf(resource('train', { ...EVERY_MINUTE, tags: ['gpu'] }));
  expect(scheduled(pipeline, [])).toEqual([]);
});
