import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { followCommands } from './follow-commands.ts';
import { Stop } from './stop.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('after a stream that lived a while the waits between tries begin anew', async () => {
  const done = new AbortController();
  const asked: number[] = [];
  // It cannot be reached six times, then a stream lives for a minute, and it cannot be reached again.
  const follow = async (): Promise<void> => {
    asked.push(performance.now());
    if (asked.length === 7) await new Promise((resolve) => setTimeout(resolve, 60_000));
    if (asked.length === 9) done.abort();
    throw new Error('cut off');
  };
  const over = followCommands({ follow }, new Stop(), done.signal);
  await jest.advanceTimersByTimeAsync(120_000);
  await over;
  const waits = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  expect(waits[5]).toBeGreaterThan(500);
  expect(waits[6]).toBeLessThanOrEqual(60_050);
  expect(waits[7]).toBeLessThanOrEqual(100);
});
