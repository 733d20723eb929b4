import { describe, expect, test } from '@jest/globals';
import { endWithin } from './end-within.ts';

const never = new Promise<void>(() => undefined);

describe('work after the stop signal', () => {
  test('is awaited if it ends in time', async () => {
    const stop = new AbortController();
    const { promise: work, resolve } = Promise.withResolvers<void>();
    const ended = endWithin(60_000, work, stop.signal);
    stop.abort();
    resolve();
    expect(await ended).toBe(true);
  });

  test('is abandoned if it hangs', async () => {
    expect(await endWithin(5, never, AbortSignal.abort())).toBe(false);
  });

  test('is not limited before the signal', async () => {
    const stop = new AbortController();
    const ended = endWithin(1, never, stop.signal);
    const later = new Promise((resolve) => setTimeout(resolve, 30, 'goes on'));
    expect(await Promise.race([ended, later])).toBe('goes on');
    stop.abort();
    expect(await ended).toBe(false);
  });

  test('rejects with its own error', async () => {
    const work = Promise.reject(new Error('of the test'));
    await expect(endWithin(60_000, work, new AbortController().signal)).rejects.toThrow('of the test');
  });
});
