import { expect, test } from '@jest/globals';
import { badgeOf } from './badge.ts';
import type { JobState } from './state.ts';

const green: JobState = { paused: false, ended: 'succeeded' };
const red: JobState = { paused: false, ended: 'failed' };
const fresh: JobState = { paused: false };

test.each<[string, JobState[], string]>([
  ['one good job is good', [green], 'succeeded succeeded'],
  ['the gravest of several counts', [green, red, green], 'failed failed'],
  [
    'a job that runs still has the colour of how it ended last',
    [{ ...red, doing: 'started' }],
    'failed failed',
  ],
  ['jobs without builds have not run', [fresh, fresh], 'idle not yet run'],
  ['the first build is told while it waits', [{ ...fresh, doing: 'pending' }], 'idle pending'],
  [
    'and while it runs',
    [
      { ...fresh, doing: 'pending' },
      { ...fresh, doing: 'started' },
    ],
    'idle running',
  ],
  ['what waits for people says so', [{ ...fresh, doing: 'waiting' }], 'waiting waiting for approval'],
  ['a pipeline without jobs has not run', [], 'idle not yet run'],
])('%s', (_, jobs, expected) => {
  const { label, tone, word } = badgeOf('app', jobs);
  expect([label, `${tone} ${word}`]).toEqual(['app', expected]);
});
