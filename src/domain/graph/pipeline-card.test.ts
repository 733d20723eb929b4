import { expect, test } from '@jest/globals';
import { cardStatusOf, isCardStatus, type CardFacts, type CardStatus } from './pipeline-card.ts';

const NONE = { succeeded: 0, failed: 0, cancelled: 0, warning: 0 };
const QUIET: CardFacts = { paused: false, jobs: 3, pausedJobs: 0, outcomes: NONE, running: 0, waiting: 0 };

const CASES: Record<string, [facts: Partial<CardFacts>, status: CardStatus]> = {
  'without builds is idle': [{}, 'idle'],
  'without jobs is idle': [{ jobs: 0 }, 'idle'],
  'is succeeded if some jobs succeeded and the others have not run yet': [
    { outcomes: { ...NONE, succeeded: 1 } },
    'succeeded',
  ],
  'is failed if one of many jobs failed': [{ outcomes: { ...NONE, succeeded: 9, failed: 1 } }, 'failed'],
  'is failed while it runs again': [{ outcomes: { ...NONE, failed: 1 }, running: 1 }, 'failed'],
  'is running if nothing failed': [
    { outcomes: { ...NONE, cancelled: 1 }, running: 1, waiting: 4 },
    'running',
  ],
  'is waiting if builds wait and none runs': [{ outcomes: { ...NONE, succeeded: 2 }, waiting: 1 }, 'waiting'],
  'is cancelled if jobs were cancelled and others ended with a warning': [
    { outcomes: { ...NONE, cancelled: 1, warning: 1 } },
    'cancelled',
  ],
  'is a warning if jobs ended with a warning and others succeeded': [
    { outcomes: { ...NONE, warning: 1, succeeded: 5 } },
    'warning',
  ],
  'is paused, however its builds ended': [
    { paused: true, outcomes: { ...NONE, failed: 1 }, running: 1 },
    'paused',
  ],
  'is paused if all jobs are paused': [{ pausedJobs: 3 }, 'paused'],
  'is not paused if one job is not paused': [
    { pausedJobs: 2, outcomes: { ...NONE, succeeded: 1 } },
    'succeeded',
  ],
};

test.each(Object.entries(CASES))('a pipeline %s', (_name, [facts, status]) => {
  expect(cardStatusOf({ ...QUIET, ...facts })).toBe(status);
});

test('only statuses count as statuses, not the words that people read', () => {
  expect(['failed', 'idle', 'not yet run', '', undefined].map(isCardStatus)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
});
