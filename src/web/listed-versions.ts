import { PAGE_LENGTH, type ListedVersion } from './pipeline-requests.ts';

export interface KnownVersions {
  resource: string;
  /** Newest first. */
  list: readonly ListedVersion[];
  hasOlder: boolean;
}

/**
 * Puts the newest page of versions at the beginning of the list. If the page is full and the list contains
 * its last version, the versions after that one stay. Otherwise, the page becomes the whole list.
 */
export function withNewestVersions(
  known: KnownVersions | undefined,
  resource: string,
  newest: readonly ListedVersion[],
): KnownVersions {
  const isFull = newest.length === PAGE_LENGTH;
  const last = newest.at(-1);
  const index = known?.resource === resource ? known.list.findIndex(({ id }) => id === last?.id) : -1;
  if (!isFull || known === undefined || index === -1) return { resource, list: newest, hasOlder: isFull };
  return { ...known, list: [...newest, ...known.list.slice(index + 1)] };
}

/**
 * Adds the versions that are older than the one with the id `before`. Changes nothing if the list no longer
 * ends with that version.
 */
export function withOlderVersions(
  known: KnownVersions | undefined,
  resource: string,
  before: number,
  older: readonly ListedVersion[],
): KnownVersions | undefined {
  if (known?.resource !== resource || known.list.at(-1)?.id !== before) return known;
  return { resource, list: [...known.list, ...older], hasOlder: older.length === PAGE_LENGTH };
}
