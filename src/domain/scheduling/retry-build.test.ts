import { describe, expect, test } from '@jest/globals';
import { decideRetry, type RetryFacts } from './retry-build.ts';

const JOB = { name: 'unit', paused: false, pipelinePaused: false };
const OTHER_OPEN = {
  open: [{ id: 90, job: 1, inputs: [{ resource: 2, version: 31 }] }],
  gets: [{ resource: 2, trigger: true }],
  inputs: [{ resource: 2, version: 30 }],
  origins: new Map(),
};
const BRANCHES = new Map([
  [30, { branch: 'main' }],
  [31, { branch: 'other' }],
]);

const facts = (more: Partial<RetryFacts>): RetryFacts => ({
  number: '7',
  status: 'failed',
  approved: false,
  retries: 0,
  versionGone: false,
  queued: 0,
  job: JOB,
  ...more,
});

/** The number of the retry, or the codes of the refusal. */
function decided(more: Partial<RetryFacts>): string {
  const decision = decideRetry(facts(more));
  return decision.answer === 'retry' ? decision.number : decision.reasons.map(({ code }) => code).join(' ');
}

describe('a retry', () => {
  const cases: Record<string, [Partial<RetryFacts>, string]> = {
    'of a build without retries is numbered 1': [{}, '7.1'],
    'of a build with retries is numbered after the last one': [{ retries: 2 }, '7.3'],
    'of an older retry is numbered after the last one, too': [{ number: '7.1', retries: 2 }, '7.3'],
    'by a webhook is accepted for a build without retries': [{ byWebhook: true }, '7.1'],
    'by a webhook is accepted for the newest retry': [
      { byWebhook: true, number: '7.10', retries: 10 },
      '7.11',
    ],
    'by a webhook is refused for a build that has retries': [
      { byWebhook: true, retries: 1 },
      'RetriedAlready',
    ],
    'by a webhook is refused for an older retry': [
      { byWebhook: true, number: '7.9', retries: 10 },
      'RetriedAlready',
    ],
    'by a webhook is refused if builds of the job need approval, even if people approved this one': [
      { byWebhook: true, approved: true, job: { ...JOB, approval: true } },
      'RetryByMember',
    ],
    'by a member of a build that was approved is accepted': [
      { approved: true, job: { ...JOB, approval: true } },
      '7.1',
    ],
    'by a webhook is refused if it would end another build': [
      { byWebhook: true, job: { ...JOB, interruptible: OTHER_OPEN } },
      'WouldInterrupt',
    ],
    'by a member is accepted even if it ends another build': [
      { job: { ...JOB, interruptible: OTHER_OPEN } },
      '7.1',
    ],
    'by a webhook is accepted if the open build is of another branch': [
      { byWebhook: true, job: { ...JOB, interruptible: { ...OTHER_OPEN, origins: BRANCHES } } },
      '7.1',
    ],
    'by a webhook is refused while the build runs': [
      { byWebhook: true, number: '7.1', retries: 1, status: 'started' },
      'NotEnded',
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [more, expected]) => {
    expect(decided(more)).toBe(expected);
  });

  test('that is refused names the newer retry', () => {
    expect(decideRetry(facts({ byWebhook: true, retries: 3 }))).toMatchObject({
      reasons: [{ message: 'Build 7 of unit has a newer retry, 7.3.' }],
    });
  });
});
