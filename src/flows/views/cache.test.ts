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

describe('the cache', () => {
  test('an entry is made once for concurrent and later requests', async () => {
    const { made, want } = counted();
    expect(await Promise.all([want('a'), want('a'), want('a')])).toEqual(['a', 'a', 'a']);
    expect([await want('a'), made]).toEqual(['a', ['a']]);
  });

  test('the least recently used entries go first when there is no room', async () => {
    const { made, want } = counted();
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await want(key);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });

  test('an entry has the size that it states, and one larger than the cache is returned but not stored', async () => {
    const { made, want } = counted({ maxSize: 5, sizeOf: (value) => value.length });
    for (const key of ['aaa', 'bb', 'aaa', 'bb', 'much too large', 'bb']) await want(key);
    expect(made).toEqual(['aaa', 'bb', 'much too large', 'bb']);
  });

  test('an old entry is made again once for all requests', async () => {
    let now = 0;
    const { made, want } = counted({ maxAge: { ms: 10, now: () => now } });
    await want('a', 'first');
    now = 9;
    expect(await want('a', 'too early')).toBe('first');
    now = 10;
    expect(await Promise.all([want('a', 'second'), want('a', 'second too')])).toEqual(['second', 'second']);
    expect(made).toEqual(['first', 'second']);
  });

  test('failures and entries that are not worth it are not stored', async () => {
    const keeper = createCache<string>({ maxSize: 2, skips: (value) => value === 'refused' });
    const failing = keeper.get('a', async () => await Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await keeper.get('a', async () => 'refused')).toBe('refused');
    expect(await keeper.get('a', async () => 'well')).toBe('well');
  });

  test('an entry is cached once it is made and as long as it is fresh', async () => {
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

  test('a cached entry that was used goes later', async () => {
    const { made, want, cached } = counted();
    for (const key of ['a', 'b']) await want(key);
    cached('a');
    for (const key of ['c', 'a', 'b']) await want(key);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });
});
