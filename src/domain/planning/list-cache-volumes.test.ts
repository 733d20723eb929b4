import { expect, test } from '@jest/globals';
import type { ResourceType } from '#domain/pipeline/pipeline.ts';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { listCaches } from './list-cache-volumes.ts';

const fs: ResourceType = {
  name: 'fs',
  builtIn: true,
  params: ['path'],
  origin: { source: 'svc://fs' },
  cache: false,
  pull: { runner: 'shell', cmd: 'true' },
};
const pipeline = samplePipeline({
  resourceTypes: [...samplePipeline().resourceTypes, fs],
  resources: [
    resource('git.app', { cache: true }),
    resource('git.bare'),
    resource('cron.nightly', { cache: true }),
    resource('git.docs', { cache: true }),
    resource('fs.data', { cache: true, params: { path: '/data' } }),
  ],
  jobs: [job('unit', get('git.app'))],
});
const used = { resource: 'git.docs', bytes: 5, usedAt: new Date(0), usedBy: 'check' as const };

test('the list has each resource whose commands can use a cache, with what is stored about its cache', () => {
  expect(listCaches(pipeline, [used])).toEqual([
    { resource: 'git.app', leftOut: 'No build or check has used it. It needs spec.cache in the Team.' },
    used,
  ]);
});
