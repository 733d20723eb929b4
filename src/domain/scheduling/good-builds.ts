import { NEWEST, type Need, type Pass, type PassPage, type Place, type Taken } from './facts.ts';

/** `none`: there is certainly no such version. */
export type Found = { version: number } | { none: true } | { need: Need };

/**
 * Asks for the newest version of a resource, not above `atMost`, in a good build of the upstream job that
 * also took all that is `fixed`.
 */
interface PassQuery {
  upstream: number;
  resource: number;
  atMost: number;
  fixed: readonly Taken[];
}

/** What the pages tell of good builds, and where they end. */
export interface KnownPasses {
  newest(query: PassQuery): Found;
  /** A good build of the upstream job that took all that is fixed, the newest that is known. */
  voucher(upstream: number, fixed: readonly Taken[]): number | undefined;
}

export function knownPasses(pages: readonly PassPage[]): KnownPasses {
  const byList = Map.groupBy(pages, listKey);
  const pagesOf = (list: ListName): PassPage[] => byList.get(listKey(list)) ?? [];
  return {
    newest(query) {
      return newestOfCertain(query, pagesOf) ?? walk(query, pagesOf(query));
    },
    voucher(upstream, fixed) {
      const builds = fixed
        .flatMap(({ resource }) => pagesOf({ upstream, resource }))
        .flatMap((page) => page.rows.filter((row) => tookAll(page, row, fixed)))
        .map(({ build }) => build);
      return builds.length === 0 ? undefined : Math.max(...builds);
    },
  };
}

interface ListName {
  upstream: number;
  resource: number;
}
const listKey = ({ upstream, resource }: ListName): string => `${upstream} ${resource}`;

/** Each row tells all that its build took, as far as anybody asks. */
function tookAll({ resource }: { resource: number }, row: Pass, fixed: readonly Taken[]): boolean {
  return fixed.every(
    (one) =>
      (one.resource === resource && one.version === row.version) ||
      (row.also?.some((taken) => taken.resource === one.resource && taken.version === one.version) ?? false),
  );
}

/** The answer when the pages surely hold all builds that took one of the fixed versions. */
function newestOfCertain(query: PassQuery, pagesOf: (list: ListName) => PassPage[]): Found | undefined {
  const { upstream, resource, atMost, fixed } = query;
  for (const one of fixed) {
    const versions: number[] = [];
    const end = scan(
      { version: one.version, build: NEWEST },
      pagesOf({ upstream, resource: one.resource }),
      (row) => {
        if (row.version < one.version) return true;
        if (tookAll(one, row, fixed)) versions.push(...versionsOf(resource, one.resource, row));
        return false;
      },
    );
    if (end !== 'stopped' && end !== 'end' && end.version >= one.version) continue;
    const fitting = versions.filter((version) => version <= atMost);
    return fitting.length === 0 ? { none: true } : { version: Math.max(...fitting) };
  }
  return undefined;
}

/** What the build of a row, in the list of another resource, took of a resource. */
function versionsOf(resource: number, listed: number, row: Pass): number[] {
  const also = (row.also ?? []).filter((taken) => taken.resource === resource).map(({ version }) => version);
  return resource === listed ? [row.version, ...also] : also;
}

function walk(query: PassQuery, pages: PassPage[]): Found {
  let version = 0;
  const end = scan({ version: query.atMost, build: NEWEST }, pages, (row) => {
    version = row.version;
    return tookAll(query, row, query.fixed);
  });
  if (end === 'stopped') return { version };
  if (end === 'end') return { none: true };
  const { upstream, resource } = query;
  return { need: { kind: 'passes', upstream, resource, from: end } };
}

/**
 * Visits rows from a place on without a gap until one says stop; answers the first place that is not known,
 * or that there is nothing more.
 */
function scan(start: Place, pages: PassPage[], stop: (row: Pass) => boolean): 'stopped' | 'end' | Place {
  let place = start;
  for (;;) {
    const page = pages.find((candidate) => covers(candidate, place));
    if (page === undefined) return place;
    const { rows } = page;
    for (let index = firstAfter(rows, place); index < rows.length; index += 1) {
      const row = rows[index];
      if (row !== undefined && stop(row)) return 'stopped';
    }
    const last = rows.at(-1);
    if (page.end || last === undefined) return 'end';
    place = { version: last.version, build: last.build - 1 };
  }
}

/** Index of the first row at or after a place. */
function firstAfter(rows: readonly Pass[], place: Place): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && isBefore(row, place)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function covers(page: PassPage, place: Place): boolean {
  const last = page.rows.at(-1);
  const reaches = page.end || (last !== undefined && !isBefore(last, place));
  return reaches && (page.from === undefined || !isBefore(place, page.from));
}

/** Newer, so further ahead in the list. */
function isBefore(one: Place, other: Place): boolean {
  return one.version > other.version || (one.version === other.version && one.build > other.build);
}
