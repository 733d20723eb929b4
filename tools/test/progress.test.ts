import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { withProgress } from './progress.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('silent work reports every 30 s that it continues, until it ends', async () => {
  const lines: string[] = [];
  const work = Promise.withResolvers<number>();
  const answer = withProgress(
    'images',
    () => work.promise,
    (line) => void lines.push(line),
  );
  jest.advanceTimersByTime(65_000);
  work.resolve(7);
  expect(await answer).toBe(7);
  jest.advanceTimersByTime(65_000);
  expect(lines).toEqual(['images: still running, 0:30', 'images: still running, 1:00']);
});
