import { expect, test } from '@jest/globals';
import { badgeOf } from './badge.ts';
import type { JobState } from './state.ts';

const green: JobState = { paused: false, ended: 'succeeded' };
const red: JobState = { paused: false, ended: 'failed' };
const fresh: JobState = { paused: false };

test.each<[string, JobState[], string]>([
  ['one job that succeeded makes it succeeded', [green], 'succeeded succeeded'],
  ['the worst of several jobs counts', [green, red, green], 'failed failed'],
  ['a running job counts with its last outcome', [{ ...red, doing: 'started' }], 'failed failed'],
  ['jobs without builds have not run', [fresh, fresh], 'idle not yet run'],
  ['a pending first build is shown', [{ ...fresh, doing: 'pending' }], 'idle pending'],
  [
    'a running first build is shown',
    [
      { ...fresh, doing: 'pending' },
      { ...fresh, doing: 'started' },
    ],
    'idle running',
  ],
  [
    'a build that waits for approval is shown',
    [{ ...fresh, doing: 'waiting' }],
    'waiting waiting for approval',
  ],
  ['a pipeline without jobs has not run', [], 'idle not yet run'],
])('the badge of a pipeline: %s', (_, jobs, expected) => {
  const { label, tone, word } = badgeOf('app', jobs);
  expect([label, `${tone} ${word}`]).toEqual(['app', expected]);
});
