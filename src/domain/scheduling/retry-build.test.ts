import { describe, expect, test } from '@jest/globals';
import { decideRetry, type RetryFacts } from './retry-build.ts';

const facts = (more: Partial<RetryFacts>): RetryFacts => ({
  number: '7',
  status: 'failed',
  approved: false,
  retries: 0,
  versionGone: false,
  queued: 0,
  job: { name: 'unit', paused: false, pipelinePaused: false },
  ...more,
});

/** The number of the retry, or the codes of the refusal. */
function decided(more: Partial<RetryFacts>): string {
  const decision = decideRetry(facts(more));
  return decision.answer === 'retry' ? decision.number : decision.reasons.map(({ code }) => code).join(' ');
}

describe('a retry', () => {
  const cases: Record<string, [Partial<RetryFacts>, string]> = {
    'of a build is its first': [{}, '7.1'],
    'of a build that has retries is the next': [{ retries: 2 }, '7.3'],
    'of an older retry is the next': [{ number: '7.1', retries: 2 }, '7.3'],
    'of the newest attempt only is accepted for a build without retries': [{ onlyNewest: true }, '7.1'],
    'of the newest attempt only is accepted for the newest retry': [
      { onlyNewest: true, number: '7.10', retries: 10 },
      '7.11',
    ],
    'of the newest attempt only is refused for the original': [
      { onlyNewest: true, retries: 1 },
      'RetriedAlready',
    ],
    'of the newest attempt only is refused for an older retry': [
      { onlyNewest: true, number: '7.9', retries: 10 },
      'RetriedAlready',
    ],
    'of the newest attempt only is refused while it runs': [
      { onlyNewest: true, number: '7.1', retries: 1, status: 'started' },
      'NotEnded',
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [more, expected]) => {
    expect(decided(more)).toBe(expected);
  });

  test('names the newer retry', () => {
    expect(decideRetry(facts({ onlyNewest: true, retries: 3 }))).toMatchObject({
      reasons: [{ message: 'Build 7 of unit has a newer retry, 7.3.' }],
    });
  });
});
