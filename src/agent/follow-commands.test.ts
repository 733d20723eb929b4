import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { followCommands } from './follow-commands.ts';
import { Stop } from './stop.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

test('a stream that lasted a while resets the waits between attempts', async () => {
  const done = new AbortController();
  const attempts: number[] = [];
  // The gateway is unreachable six times, then a stream lasts a minute, and the gateway is unreachable again.
  const follow = async (): Promise<void> => {
    attempts.push(performance.now());
    if (attempts.length === 7) await new Promise((resolve) => setTimeout(resolve, 60_000));
    if (attempts.length === 9) done.abort();
    throw new Error('cut off');
  };
  const over = followCommands({ follow }, { stop: new Stop(), onDebug: () => undefined }, done.signal);
  await jest.advanceTimersByTimeAsync(120_000);
  await over;
  const waits = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
  expect(waits[5]).toBeGreaterThan(500);
  expect(waits[6]).toBeLessThanOrEqual(60_050);
  expect(waits[7]).toBeLessThanOrEqual(100);
});
