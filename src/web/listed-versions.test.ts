import { describe, expect, test } from '@jest/globals';
import { withNewestVersions, withOlderVersions, type KnownVersions } from './listed-versions.ts';
import { PAGE_LENGTH, type ListedVersion } from './pipeline-requests.ts';

/** Versions from the newest to the oldest id. */
const versions = (newest: number, oldest: number): ListedVersion[] =>
  Array.from({ length: newest - oldest + 1 }, (_, index) => ({ id: newest - index, version: {} }));
const idsOf = (known: KnownVersions | undefined): number[] | undefined => known?.list.map(({ id }) => id);
const ids = (newest: number, oldest: number): number[] => versions(newest, oldest).map(({ id }) => id);

const first = withNewestVersions(undefined, 'git.a', versions(100, 51));

describe('the newest versions', () => {
  test('replace those of another resource', () => {
    const known = withNewestVersions(first, 'git.b', versions(3, 1));
    expect(known).toEqual({ resource: 'git.b', list: versions(3, 1), hasOlder: false });
  });

  test('keep older versions that were loaded before', () => {
    const known = withOlderVersions(first, 'git.a', 51, versions(50, 1));
    const refreshed = withNewestVersions(known, 'git.a', versions(102, 53));
    expect(idsOf(refreshed)).toEqual(ids(102, 1));
    expect(refreshed.hasOlder).toBe(true);
  });

  test('replace the list if versions between them are not known', () => {
    const refreshed = withNewestVersions(first, 'git.a', versions(200, 151));
    expect(idsOf(refreshed)).toEqual(ids(200, 151));
    expect(refreshed.hasOlder).toBe(true);
  });

  test('are all versions if they do not fill a page', () => {
    const known = withNewestVersions(first, 'git.a', versions(100, 90));
    expect(known).toEqual({ resource: 'git.a', list: versions(100, 90), hasOlder: false });
  });
});

describe('older versions', () => {
  test('follow the last version of the list', () => {
    const known = withOlderVersions(first, 'git.a', 51, versions(50, 21));
    expect(idsOf(known)).toEqual(ids(100, 21));
    expect(known?.hasOlder).toBe(false);
    expect(versions(50, 21).length).toBeLessThan(PAGE_LENGTH);
  });

  test('of another resource than the shown one change nothing', () => {
    const other = withNewestVersions(first, 'git.b', versions(51, 2));
    expect(withOlderVersions(other, 'git.a', 51, versions(50, 1))).toBe(other);
    expect(withOlderVersions(undefined, 'git.a', 51, versions(50, 1))).toBeUndefined();
  });

  test('follow a list that was refreshed since the request', () => {
    const refreshed = withNewestVersions(first, 'git.a', versions(101, 52));
    expect(idsOf(withOlderVersions(refreshed, 'git.a', 51, versions(50, 1)))).toEqual(ids(101, 1));
  });

  test('are not added twice, or after a gap', () => {
    const known = withOlderVersions(first, 'git.a', 51, versions(50, 1));
    expect(withOlderVersions(known, 'git.a', 51, versions(50, 1))).toBe(known);
    const later = withNewestVersions(first, 'git.a', versions(200, 151));
    expect(withOlderVersions(later, 'git.a', 51, versions(50, 1))).toBe(later);
  });
});
