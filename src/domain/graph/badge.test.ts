import { expect, test } from '@jest/globals';
import { badgeOf } from './badge.ts';
import type { JobState } from './state.ts';

const succeeded: JobState = { paused: false, ended: 'succeeded' };
const failed: JobState = { paused: false, ended: 'failed' };
const notYetRun: JobState = { paused: false };

test.each<[string, JobState[], string]>([
  ['a job that succeeded makes the badge succeeded', [succeeded], 'succeeded succeeded'],
  ['the worst outcome of several jobs counts', [succeeded, failed, succeeded], 'failed failed'],
  ['a running job counts with its last outcome', [{ ...failed, doing: 'started' }], 'failed failed'],
  ['a job that has not run does not hide the others', [succeeded, notYetRun], 'succeeded succeeded'],
  ['jobs without builds have not run', [notYetRun, notYetRun], 'idle not yet run'],
  ['a pending first build is shown', [{ ...notYetRun, doing: 'pending' }], 'idle pending'],
  [
    'a running first build is shown',
    [
      { ...notYetRun, doing: 'pending' },
      { ...notYetRun, doing: 'started' },
    ],
    'idle running',
  ],
  [
    'a build that waits for approval is shown',
    [{ ...notYetRun, doing: 'waiting' }],
    'waiting waiting for approval',
  ],
  ['a pipeline without jobs has not run', [], 'idle not yet run'],
])('the badge of a pipeline: %s', (_, jobs, expected) => {
  const { label, tone, word } = badgeOf('app', jobs);
  expect([label, `${tone} ${word}`]).toEqual(['app', expected]);
});
