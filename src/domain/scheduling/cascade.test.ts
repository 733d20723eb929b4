import { expect, test } from '@jest/globals';
import { cascadeJobs, type CascadeGet } from './cascade.ts';

const get = (job: number, passed: number[], trigger = true): CascadeGet => ({ job, trigger, passed });

test.each<[string, CascadeGet[], triggered: number[], following: number[]]>([
  ['builds follow along passed, from job to job', [get(1, []), get(2, [1]), get(3, [2])], [1], [2, 3]],
  ['a get that does not trigger ends the cascade', [get(1, []), get(2, [1], false), get(3, [2])], [1], []],
  ['a job that was triggered itself does not follow', [get(1, []), get(2, []), get(2, [1])], [1, 2], []],
  ['a job that also needs a job outside of the cascade follows too', [get(1, []), get(2, [1, 9])], [1], [2]],
  ['nothing follows when no job was triggered', [get(2, [1])], [], []],
])('%s', (_sentence, gets, triggered, following) => {
  expect(cascadeJobs(gets, triggered)).toEqual(following);
});
