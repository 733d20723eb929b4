import { describe, expect, test } from '@jest/globals';
import { createCache } from './cache.ts';

/** A cache of strings. `made` lists the values that were made, in this order. */
function recordingCache(options: Partial<Parameters<typeof createCache<string>>[0]> = {}) {
  const made: string[] = [];
  const cache = createCache<string>({ maxSize: 2, ...options });
  const get = async (key: string, value = key): Promise<string> =>
    await cache.get(key, async () => {
      made.push(value);
      return value;
    });
  return { made, get, cached: (key: string) => cache.cached(key) };
}

describe('the cache', () => {
  test('an entry is made once for concurrent and later requests', async () => {
    const { made, get } = recordingCache();
    expect(await Promise.all([get('a'), get('a'), get('a')])).toEqual(['a', 'a', 'a']);
    expect([await get('a'), made]).toEqual(['a', ['a']]);
  });

  test('the least recently used entries are dropped first when the cache is full', async () => {
    const { made, get } = recordingCache();
    for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await get(key);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });

  test('a value larger than the cache is returned, and neither stored nor a reason to drop others', async () => {
    const { made, get } = recordingCache({ maxSize: 5, sizeOf: (value) => value.length });
    for (const key of ['aaa', 'bb', 'much too large', 'aaa', 'bb', 'much too large']) await get(key);
    expect(made).toEqual(['aaa', 'bb', 'much too large', 'much too large']);
  });

  test('a value that is being made is not dropped, so all callers get the same one', async () => {
    const cache = createCache<string>({ maxSize: 1 });
    const slow = Promise.withResolvers<string>();
    const first = cache.get('slow', async () => await slow.promise);
    for (const key of ['a', 'b']) await cache.get(key, async () => await Promise.resolve(key));
    const second = cache.get('slow', async () => await Promise.resolve('made twice'));
    slow.resolve('made once');
    expect(await Promise.all([first, second])).toEqual(['made once', 'made once']);
  });

  test('an old entry is made again once for all requests', async () => {
    let now = 0;
    const { made, get } = recordingCache({ maxAge: { ms: 10, now: () => now } });
    await get('a', 'first');
    now = 9;
    expect(await get('a', 'too early')).toBe('first');
    now = 10;
    expect(await Promise.all([get('a', 'second'), get('a', 'second too')])).toEqual(['second', 'second']);
    expect(made).toEqual(['first', 'second']);
  });

  test('failures, and values for which `skips` returns true, are not stored', async () => {
    const cache = createCache<string>({ maxSize: 2, skips: (value) => value === 'refused' });
    const failing = cache.get('a', async () => await Promise.reject(new Error('no')));
    await expect(failing).rejects.toThrow('no');
    expect(await cache.get('a', async () => 'refused')).toBe('refused');
    expect(await cache.get('a', async () => 'well')).toBe('well');
  });

  test('an entry is cached from when it is made until it is too old', async () => {
    let now = 0;
    const { get, cached } = recordingCache({ maxAge: { ms: 10, now: () => now } });
    const making = get('a');
    expect(cached('a')).toBeUndefined();
    await making;
    now = 9;
    expect([cached('a'), cached('b')]).toEqual(['a', undefined]);
    now = 10;
    expect(cached('a')).toBeUndefined();
  });

  test('reading a cached entry counts as using it', async () => {
    const { made, get, cached } = recordingCache();
    for (const key of ['a', 'b']) await get(key);
    cached('a');
    for (const key of ['c', 'a', 'b']) await get(key);
    expect(made).toEqual(['a', 'b', 'c', 'b']);
  });
});
