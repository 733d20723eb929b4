import { expect, test } from '@jest/globals';
import { reachableJobs, type JobWithGets } from './reachable-jobs.ts';

function job(
  name: string,
  ...gets: [resource: string, trigger: boolean, ...passed: string[]][]
): JobWithGets {
  return { name, gets: gets.map(([resource, trigger, ...passed]) => ({ resource, trigger, passed })) };
}

test.each<[string, JobWithGets[], string[]]>([
  [
    'jobs that the version triggers come first, then those downstream, nearest first',
    [
      job('deploy', ['app', true, 'unit', 'lint']),
      job('unit', ['app', true]),
      job('lint', ['app', true]),
      job('announce', ['app', true, 'deploy']),
    ],
    ['unit', 'lint', 'deploy', 'announce'],
  ],
  ['a get without trigger reaches no job', [job('unit', ['app', false])], []],
  [
    'a downstream job that the version does not trigger is reached, too',
    [job('unit', ['app', true]), job('deploy', ['app', false, 'unit'])],
    ['unit', 'deploy'],
  ],
  [
    'passed of any resource leads downstream',
    [job('unit', ['app', true]), job('scan', ['image', true, 'unit']), job('other', ['image', true])],
    ['unit', 'scan'],
  ],
  ['versions of other resources reach no job', [job('unit', ['tools', true])], []],
])('%s', (_, jobs, expected) => {
  expect(reachableJobs(jobs, 'app')).toEqual(expected);
});
