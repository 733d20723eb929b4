import { expect, test } from '@jest/globals';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { listCaches } from './list-cache-volumes.ts';

const pipeline = samplePipeline({
  resources: [
    resource('git.app', { cache: true }),
    resource('git.bare'),
    resource('cron.nightly', { cache: true }),
    resource('git.docs', { cache: true }),
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
