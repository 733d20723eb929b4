import { describe, expect, test } from '@jest/globals';
import { foldersFrom } from './folders.ts';

describe('the cache folder', () => {
  test.each([
    ['is the configured one', { MILLRACE_CACHE: '/a', XDG_CACHE_HOME: '/b', HOME: '/c' }, '/a'],
    ["is in the user's cache folder otherwise", { XDG_CACHE_HOME: '/b', HOME: '/c' }, '/b/millrace'],
    [
      'is in the home folder if there is no cache folder',
      { MILLRACE_CACHE: '', XDG_CACHE_HOME: '', HOME: '/c' },
      '/c/.cache/millrace',
    ],
  ])('%s', (_, env, cache) => {
    expect(foldersFrom(env)).toMatchObject({ cache, binaries: `${cache}/bin`, state: `${cache}/cluster` });
  });

  test.each([
    ['a relative path', 'cache', /not an absolute path/],
    ['a path too long for sockets', `/${'x'.repeat(80)}`, /too long for the sockets/],
  ])('cannot be %s', (_, path, message) => {
    expect(() => foldersFrom({ MILLRACE_CACHE: path })).toThrow(message);
  });
});
