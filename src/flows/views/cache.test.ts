import { describe, expect, test } from '@jest/globals';
import { createCache } from './cache.ts';

/** Makings that are counted. */
function counted(options: Partial<Parameters<typeof createCache<string>>[0]> = {}) {
  const made: string[] = [];
  const keeper = createCache<string>({ maxSize: 2, ...options });
  const want = async (key: string, value = key): Promise<string> =>
    await keeper.get(key, async () => {
      made.push(value);
      return value;
    });
  return { made, want, cached: (key: string) => keeper.cached(key) };
}

describe('what is kept', () => {
  test('is made once for all who want it at the same time, and later', async () => {
    const { made, want } = counted();
    expect(await Promise.all([want('a'), want('a'), want('a')])).toEqual(['a', 'a', 'a']);
    expect([await want('a'), made]).toEqual(['a', ['a']]);
  });

  test('goes when there is no room, those first that nobody wanted for longest', async () => {
    const { made, want } = counted();
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await want(key);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });

  test('takes the room that it says, and what is larger than all room is handed out and not kept', async () => {
    const { made, want } = counted({ maxSize: 5, sizeOf: (value) => value.length });
    for (const key of ['aaa', 'bb', 'aaa', 'bb', 'much too large', 'bb']) await want(key);
    expect(made).toEqual(['aaa', 'bb', 'much too large', 'bb']);
  });

  test('is made anew once it is old, for all who want it then', async () => {
    let now = 0;
    const { made, want } = counted({ maxAge: { ms: 10, now: () => now } });
    await want('a', 'first');
    now = 9;
    expect(await want('a', 'too early')).toBe('first');
    now = 10;
    expect(await Promise.all([want('a', 'second'), want('a', 'second too')])).toEqual(['second', 'second']);
    expect(made).toEqual(['first', 'second']);
  });

  test('is not what failed, nor what is not worth it', async () => {
    const keeper = createCache<string>({ maxSize: 2, skips: (value) => value === 'refused' });
    const failing = keeper.get('a', async () => await Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await keeper.get('a', async () => 'refused')).toBe('refused');
    expect(await keeper.get('a', async () => 'well')).toBe('well');
  });

  test('is at hand once it is made, and as long as it is fresh', async () => {
    let now = 0;
    const { want, cached } = counted({ maxAge: { ms: 10, now: () => now } });
    const making = want('a');
    expect(cached('a')).toBeUndefined();
    await making;
    now = 9;
    expect([cached('a'), cached('b')]).toEqual(['a', undefined]);
    now = 10;
    expect(cached('a')).toBeUndefined();
  });

  test('goes later when it was taken as it was at hand', async () => {
    const { made, want, cached } = counted();
    for (const key of ['a', 'b']) await want(key);
    cached('a');
    for (const key of ['c', 'a', 'b']) await want(key);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });
});
