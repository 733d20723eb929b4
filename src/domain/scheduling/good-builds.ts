import {
  NEWEST,
  type GoodBuild,
  type GoodBuildPage,
  type GoodBuildPosition,
  type NeededPage,
  type ResourceVersion,
} from './facts.ts';

/** `none`: there is certainly no such version. `need`: the answer depends on a page that the facts lack. */
export type NewestVersion = { version: number } | { none: true } | { need: NeededPage };

/**
 * The newest version of the resource, at most `atMost`, in a good build of the upstream job that also took
 * every version of `alsoTook`.
 */
interface NewestQuery {
  upstream: number;
  resource: number;
  atMost: number;
  alsoTook: readonly ResourceVersion[];
}

/** The good builds of upstream jobs, as far as the pages list them. */
export interface GoodBuilds {
  newestVersion(query: NewestQuery): NewestVersion;
  /** The newest listed build of the upstream job that took or made all these versions. */
  newestBuild(upstream: number, versions: readonly ResourceVersion[]): number | undefined;
}

export function goodBuildsIn(pages: readonly GoodBuildPage[]): GoodBuilds {
  const byList = Map.groupBy(pages, listKey);
  const pagesOf = (list: GoodBuildList): GoodBuildPage[] => byList.get(listKey(list)) ?? [];
  return {
    newestVersion(query) {
      return newestByBuilds(query, pagesOf) ?? newestByVersions(query, pagesOf(query));
    },
    newestBuild(upstream, versions) {
      const builds = versions
        .flatMap(({ resource }) => pagesOf({ upstream, resource }))
        .flatMap((page) => page.rows.filter((row) => tookAll(page, row, versions)))
        .map(({ build }) => build);
      return builds.length === 0 ? undefined : Math.max(...builds);
    },
  };
}

interface GoodBuildList {
  upstream: number;
  resource: number;
}

const listKey = ({ upstream, resource }: GoodBuildList): string => `${upstream} ${resource}`;

function tookAll(
  { resource }: { resource: number },
  row: GoodBuild,
  versions: readonly ResourceVersion[],
): boolean {
  return versions.every(
    (taken) =>
      (taken.resource === resource && taken.version === row.version) ||
      (row.also?.some((also) => also.resource === taken.resource && also.version === taken.version) ?? false),
  );
}

/**
 * Answers from the list of builds that took a version of `alsoTook`. This list is short, because few builds
 * take the same version. Undefined: no version of `alsoTook` has all of its builds in the pages.
 */
function newestByBuilds(
  query: NewestQuery,
  pagesOf: (list: GoodBuildList) => GoodBuildPage[],
): NewestVersion | undefined {
  const { upstream, resource, atMost, alsoTook } = query;
  for (const anchor of alsoTook) {
    const versions: number[] = [];
    const end = scan(
      { version: anchor.version, build: NEWEST },
      pagesOf({ upstream, resource: anchor.resource }),
      (row) => {
        if (row.version < anchor.version) return true;
        if (tookAll(anchor, row, alsoTook)) versions.push(...versionsOf(resource, anchor.resource, row));
        return false;
      },
    );
    const listsAllBuilds = end === 'stopped' || end === 'end' || end.version < anchor.version;
    if (!listsAllBuilds) continue;
    const fitting = versions.filter((version) => version <= atMost);
    return fitting.length === 0 ? { none: true } : { version: Math.max(...fitting) };
  }
  return undefined;
}

/**
 * The versions of `resource` that the build of a row took. `listed`: the resource of the list that has the
 * row.
 */
function versionsOf(resource: number, listed: number, row: GoodBuild): number[] {
  const also = (row.also ?? []).filter((taken) => taken.resource === resource).map(({ version }) => version);
  return resource === listed ? [row.version, ...also] : also;
}

/** Answers from the list of builds that took a version of the resource, the newest version first. */
function newestByVersions(query: NewestQuery, pages: GoodBuildPage[]): NewestVersion {
  let version = 0;
  const end = scan({ version: query.atMost, build: NEWEST }, pages, (row) => {
    version = row.version;
    return tookAll(query, row, query.alsoTook);
  });
  if (end === 'stopped') return { version };
  if (end === 'end') return { none: true };
  const { upstream, resource } = query;
  return { need: { kind: 'passes', upstream, resource, from: end } };
}

/**
 * Visits the rows from a position on. Returns `stopped` once `stop` returns true, `end` after the last row of
 * the list, otherwise the first position that no page covers.
 */
function scan(
  start: GoodBuildPosition,
  pages: GoodBuildPage[],
  stop: (row: GoodBuild) => boolean,
): 'stopped' | 'end' | GoodBuildPosition {
  let position = start;
  for (;;) {
    const page = pages.find((candidate) => covers(candidate, position));
    if (page === undefined) return position;
    const { rows } = page;
    for (let index = firstAfter(rows, position); index < rows.length; index += 1) {
      const row = rows[index];
      if (row !== undefined && stop(row)) return 'stopped';
    }
    const last = rows.at(-1);
    if (page.end || last === undefined) return 'end';
    position = { version: last.version, build: last.build - 1 };
  }
}

/** Index of the first row at or after a position, by binary search. */
function firstAfter(rows: readonly GoodBuild[], position: GoodBuildPosition): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const row = rows[middle];
    if (row !== undefined && isBefore(row, position)) low = middle + 1;
    else high = middle;
  }
  return low;
}

function covers(page: GoodBuildPage, position: GoodBuildPosition): boolean {
  const last = page.rows.at(-1);
  const reaches = page.end || (last !== undefined && !isBefore(last, position));
  return reaches && (page.from === undefined || !isBefore(position, page.from));
}

/**
 * In the list, newer versions come before older ones. For the same version, newer builds come before older
 * ones.
 */
function isBefore(one: GoodBuildPosition, other: GoodBuildPosition): boolean {
  return one.version > other.version || (one.version === other.version && one.build > other.build);
}
