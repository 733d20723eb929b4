import { describe, expect, test } from '@jest/globals';
import { parseGraphQuery, switchesOf, writeGraphQuery } from './graph-query.ts';

const NOTHING = { hideIntermediates: false, groupParallel: false };

describe('the query of the graph', () => {
  test.each([
    ['', NOTHING],
    ['?hide_intermediates=1&group_parallel=true', { hideIntermediates: true, groupParallel: true }],
    ['?hide_intermediates=0&group_parallel=x', NOTHING],
    ['?resource=git.app&version=17', { ...NOTHING, resource: 'git.app', version: 17 }],
    ['?resource=git.app&version=-1', { ...NOTHING, resource: 'git.app' }],
    ['?version=17', NOTHING],
  ])('of %j is read', (search, query) => {
    expect(parseGraphQuery(search)).toEqual(query);
  });

  test('is written without switches that are off, and keeps the other parameters', () => {
    const query = { ...NOTHING, groupParallel: true, resource: 'git.a b', version: 3 };
    expect(writeGraphQuery('?other=1&hide_intermediates=1', query)).toBe(
      '?other=1&group_parallel=1&resource=git.a+b&version=3',
    );
    expect(parseGraphQuery(writeGraphQuery('', query))).toEqual(query);
    expect(writeGraphQuery('?version=3&resource=x', NOTHING)).toBe('');
  });

  test('for the API has only the switches', () => {
    expect(switchesOf({ hideIntermediates: true, groupParallel: false, resource: 'a', version: 1 })).toBe(
      '?hide_intermediates=1',
    );
  });
});
