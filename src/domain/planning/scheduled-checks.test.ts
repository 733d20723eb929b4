import { expect, test } from '@jest/globals';
import type { Pipeline, Resource, ResourceType } from '#domain/pipeline/pipeline.ts';
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
const git: ResourceType = {
  name: 'git',
  builtIn: true,
  params: [],
  cache: false,
  check: { runner: 'shell', cmd: 'true' },
};
const pipelineOf = (...resources: Resource[]): Pipeline => ({
  resourceTypes: [git, { ...git, name: 'fs', origin: { source: 'svc://fs' } }],
  resources,
  jobs: [],
});
const scheduled = (pipeline: Pipeline, allowedTags?: string[]) =>
  scheduledChecks(pipeline, { name: 'blue', workers: [], ...(allowedTags && { allowedTags }) }, (tag) => tag);

test('a check group that is only checked on request has no CronJob', () => {
  expect(scheduled(pipelineOf(resource('app', {})))).toEqual([]);
});

test('each check group with a schedule has what its Pods need', () => {
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

test('a check group whose tags the Team refuses has no CronJob', () => {
  const pipeline = pipelineOf(resource('train', { ...EVERY_MINUTE, tags: ['gpu'] }));
  expect(scheduled(pipeline, [])).toEqual([]);
});

test('a check group on a volume has a CronJob if the Team has the volume', () => {
  const params = { path: '/srv/data/in' };
  const pipeline = pipelineOf({ ...resource('in', EVERY_MINUTE), name: 'fs.in', type: 'fs', params });
  const volume = { name: 'data', mountPath: '/srv/data', persistentVolumeClaim: { claimName: 'data' } };
  const rules = { name: 'blue', workers: [] };
  expect(scheduledChecks(pipeline, rules, (tag) => tag)).toEqual([]);
  expect(scheduledChecks(pipeline, { ...rules, volumes: [volume] }, (tag) => tag)).toMatchObject([
    { mounts: [{ volume, resource: 'fs.in', readOnly: true }] },
  ]);
});
