import { describe, expect, test } from '@jest/globals';
import { stateOfJob, type ActiveStatus, type EndedStatus } from './state.ts';

const cases: Record<
  string,
  { builds: [string, EndedStatus | ActiveStatus][]; ended?: EndedStatus; doing?: ActiveStatus }
> = {
  'of a job that never ran has no outcome': { builds: [] },
  'is that of the newest build, by number and not by text': {
    builds: [
      ['9', 'failed'],
      ['10', 'succeeded'],
    ],
    ended: 'succeeded',
  },
  'is that of the retry instead of its build': {
    builds: [
      ['3', 'failed'],
      ['3.1', 'failed'],
      ['3.2', 'succeeded'],
    ],
    ended: 'succeeded',
  },
  'does not depend on a late retry of an old build': {
    builds: [
      ['2.1', 'failed'],
      ['3', 'succeeded'],
    ],
    ended: 'succeeded',
  },
  'has the colour of the last outcome while a build is pending': {
    builds: [
      ['3', 'failed'],
      ['4', 'pending'],
    ],
    ended: 'failed',
    doing: 'pending',
  },
  'has the colour of the build while its retry runs': {
    builds: [
      ['3', 'warning'],
      ['3.1', 'started'],
    ],
    ended: 'warning',
    doing: 'started',
  },
  'prefers a running build to a pending one': {
    builds: [
      ['4', 'started'],
      ['5', 'pending'],
    ],
    doing: 'started',
  },
  'prefers a build that waits for approval to a pending one': {
    builds: [
      ['5', 'pending'],
      ['4', 'waiting'],
    ],
    doing: 'waiting',
  },
};

describe('the state of a job', () => {
  test.each(Object.entries(cases))('%s', (_name, { builds, ...state }) => {
    const jobState = stateOfJob(
      builds.map(([number, status]) => ({ number, status })),
      false,
    );
    expect(jobState).toEqual({ paused: false, ...state });
  });
});
