import { NEWEST, type Need, type Pass, type PassPage, type Place, type Taken } from './facts.ts';

/** `none`: there is certainly no such version. */
export type Found = { version: number } | { none: true } | { need: Need };

/** Asks for the newest version of a resource, not above `atMost`, in a good build of the upstream job that also took all that is `fixed`. */
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

type Takes = ReadonlyMap<number, ReadonlySet<number>>;

export function knownPasses(pages: readonly PassPage[]): KnownPasses {
  const byList = Map.groupBy(pages, listKey);
  const builds = new Map<number, Map<number, Set<number>>>();
  for (const page of pages) for (const row of page.rows) note(builds, page.resource, row);
  const takesOf = (row: Pass): Takes => builds.get(row.build) ?? new Map();
  const pagesOf = (list: ListName): PassPage[] => byList.get(listKey(list)) ?? [];
  return {
    newest(query) {
      const certain = certainBuilds(query, pagesOf);
      if (certain !== undefined) return newestOf(certain.map(takesOf), query);
      return walk(query, pagesOf(query), takesOf);
    },
    voucher(upstream, fixed) {
      const found = fixed
        .flatMap(({ resource }) => pagesOf({ upstream, resource }))
        .flatMap(({ rows }) => rows)
        .filter((row) => hasAll(takesOf(row), fixed))
        .map(({ build }) => build);
      return found.length === 0 ? undefined : Math.max(...found);
    },
  };
}

interface ListName {
  upstream: number;
  resource: number;
}
const listKey = ({ upstream, resource }: ListName): string => `${upstream} ${resource}`;

function note(builds: Map<number, Map<number, Set<number>>>, resource: number, row: Pass): void {
  const takes = builds.get(row.build) ?? new Map<number, Set<number>>();
  builds.set(row.build, takes);
  for (const taken of [{ resource, version: row.version }, ...(row.also ?? [])]) {
    const versions = takes.get(taken.resource) ?? new Set<number>();
    takes.set(taken.resource, versions.add(taken.version));
  }
}

/** All builds that took one of the fixed versions, if the pages surely hold them all. */
function certainBuilds(
  { upstream, fixed }: PassQuery,
  pagesOf: (list: ListName) => PassPage[],
): Pass[] | undefined {
  for (const { resource, version } of fixed) {
    const found: Pass[] = [];
    const end = scan({ version, build: NEWEST }, pagesOf({ upstream, resource }), (row) => {
      if (row.version === version) found.push(row);
      return row.version < version;
    });
    if (end === 'stopped' || end === 'end' || end.version < version) return found;
  }
  return undefined;
}

function newestOf(builds: Takes[], { resource, atMost, fixed }: PassQuery): Found {
  const versions = builds
    .filter((takes) => hasAll(takes, fixed))
    .flatMap((takes) => [...(takes.get(resource) ?? [])])
    .filter((version) => version <= atMost);
  return versions.length === 0 ? { none: true } : { version: Math.max(...versions) };
}

function hasAll(takes: Takes, fixed: readonly Taken[]): boolean {
  return fixed.every((taken) => takes.get(taken.resource)?.has(taken.version) ?? false);
}

function walk(query: PassQuery, pages: PassPage[], takesOf: (row: Pass) => Takes): Found {
  let version = 0;
  const end = scan({ version: query.atMost, build: NEWEST }, pages, (row) => {
    version = row.version;
    return query.fixed.length === 0 || hasAll(takesOf(row), query.fixed);
  });
  if (end === 'stopped') return { version };
  if (end === 'end') return { none: true };
  const { upstream, resource } = query;
  return { need: { kind: 'passes', upstream, resource, from: end } };
}

/** Visits rows from a place on without a gap until one says stop; answers the first place that is not known, or that there is nothing more. */
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
