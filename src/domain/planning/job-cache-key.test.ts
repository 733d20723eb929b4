import { expect, test } from '@jest/globals';
import { job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { keyOfJobCache } from './job-cache-key.ts';

const restore = (cache: string, key: string) => ({
  kind: 'task' as const,
  name: `cache ${cache}: restore`,
  cache,
  run: { runner: 'shell' as const, cmd: 'true' },
  env: { cache_key: key },
});
const pipeline = samplePipeline({
  jobs: [
    job('unit', restore('modules', 'npm-$TASK_HASH_LOCK'), task('test')),
    job('lint', restore('modules', 'lint'), restore('other', 'o')),
  ],
});

test.each([
  ['unit:modules', 'npm-$TASK_HASH_LOCK'],
  ['lint:modules', 'lint'],
  ['unit:other', undefined],
  ['git.app', undefined],
])('the key of the cache %s is %s', (cache, key) => {
  expect(keyOfJobCache(pipeline, cache)).toBe(key);
});
