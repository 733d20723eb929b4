import { describe, expect, test } from '@jest/globals';
import { judgeLookUpFailure, retryLookUpAfterMs, useCached, type KnownImage } from './image-look-up.ts';

const now = new Date('2026-11-23T12:00:00Z');
const secondsAgo = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);
const configuration = { entrypoint: ['/plugin'], cmd: [] };
const found = (seconds: number) => ({ digest: 'sha256:1', checkedAt: secondsAgo(seconds), configuration });
const failure = (retryIn: number) => ({
  failure: 'The registry r.example answered with status 503.',
  transient: true,
  count: 3,
  retryAt: secondsAgo(-retryIn),
});

const TAG = 'r.example/tool:1';
const DIGEST = 'r.example/tool@sha256:1';
const DAY = 24 * 60 * 60;

describe('a cached image look-up', () => {
  const rows: Record<string, [image: string, known: KnownImage, answer: 'use' | 'failed' | undefined]> = {
    'does not exist before the first look-up': [TAG, {}, undefined],
    'is used for a tag for a minute': [TAG, { found: found(59) }, 'use'],
    'is repeated for a tag after a minute': [TAG, { found: found(60) }, undefined],
    'is used for a digest for ever': [DIGEST, { found: found(300 * DAY) }, 'use'],
    'is repeated after a failure whose wait is over': [
      TAG,
      { found: found(60), failure: failure(0) },
      undefined,
    ],
    'is used for a day while the registry fails': [
      TAG,
      { found: found(DAY - 1), failure: failure(1) },
      'use',
    ],
    'is not used after that day': [TAG, { found: found(DAY), failure: failure(1) }, 'failed'],
    'is a failure if none ever succeeded and the wait after a failure is not over': [
      TAG,
      { failure: failure(1) },
      'failed',
    ],
    'is repeated if none ever succeeded and the wait after a failure is over': [
      TAG,
      { failure: failure(0) },
      undefined,
    ],
  };
  test.each(Object.entries(rows))('%s', (_name, [image, known, answer]) => {
    expect(useCached(image, known, now)?.answer).toBe(answer);
  });
});

test.each([
  [1, 2],
  [2, 4],
  [5, 32],
  [6, 60],
  [500, 60],
])('after %d failures the next look-up waits for %d s', (count, seconds) => {
  expect(retryLookUpAfterMs(count)).toBe(seconds * 1000);
});

describe('a build whose image cannot be looked up', () => {
  const rows: Record<string, [transient: boolean, agentAge: number | undefined, decision: 'wait' | 'end']> = {
    'waits while its agent is young': [true, 1, 'wait'],
    'waits while its agent has not been reported': [true, undefined, 'wait'],
    'ends before its agent gives up': [true, 8 * 60, 'end'],
    'ends at once if no retry helps': [false, 1, 'end'],
  };
  test.each(Object.entries(rows))('%s', (_name, [transient, age, decision]) => {
    const started = age === undefined ? undefined : secondsAgo(age);
    expect(judgeLookUpFailure({ failure: 'no.', transient }, started, now)).toBe(decision);
  });
});
