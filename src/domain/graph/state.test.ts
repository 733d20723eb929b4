import { describe, expect, test } from '@jest/globals';
import { stateOfJob, type ActiveStatus, type EndedStatus } from './state.ts';

const cases: Record<
  string,
  { builds: [string, EndedStatus | ActiveStatus][]; ended?: EndedStatus; doing?: ActiveStatus }
> = {
  'a job that never ran has no state': { builds: [] },
  'the newest build counts, by number and not by text': {
    builds: [
      ['9', 'failed'],
      ['10', 'succeeded'],
    ],
    ended: 'succeeded',
  },
  'a retry counts instead of its build': {
    builds: [
      ['3', 'failed'],
      ['3.1', 'failed'],
      ['3.2', 'succeeded'],
    ],
    ended: 'succeeded',
  },
  'a late retry of an old build changes nothing': {
    builds: [
      ['2.1', 'failed'],
      ['3', 'succeeded'],
    ],
    ended: 'succeeded',
  },
  'a pending build leaves the colour as it was': {
    builds: [
      ['3', 'failed'],
      ['4', 'pending'],
    ],
    ended: 'failed',
    doing: 'pending',
  },
  'a running retry leaves the colour of its build': {
    builds: [
      ['3', 'warning'],
      ['3.1', 'started'],
    ],
    ended: 'warning',
    doing: 'started',
  },
  'running tells more than pending': {
    builds: [
      ['4', 'started'],
      ['5', 'pending'],
    ],
    doing: 'started',
  },
  'waiting for approval tells more than pending': {
    builds: [
      ['5', 'pending'],
      ['4', 'waiting'],
    ],
    doing: 'waiting',
  },
};

describe('the state of a job', () => {
  test.each(Object.entries(cases))('%s', (_name, { builds, ...state }) => {
    const found = stateOfJob(
      builds.map(([number, status]) => ({ number, status })),
      false,
    );
    expect(found).toEqual({ paused: false, ...state });
  });
});
