import { originalNumber } from './retry-build.ts';

export interface PathJob {
  name: string;
  gets: readonly { resource: number; passed: readonly string[] }[];
}

/** A build that took one of the followed versions. */
export interface PathBuild {
  id: number;
  job: string;
  number: string;
  status: string;
  /** Versions that the puts of the build made. */
  outputs: readonly { resource: number; version: number }[];
}

export interface PathFacts {
  /** In the order of the file. */
  jobs: readonly PathJob[];
  start: { resource: number; version: number };
  /** Builds that took a version as an input, by version. */
  builds: ReadonlyMap<number, readonly PathBuild[]>;
}

interface PathEntry {
  job: string;
  /**
   * The newest build of the job that took the version; a retry only if no original build took it. Absent: no
   * build took it.
   */
  build?: PathBuild;
  /** Other builds of the same number: its retries, oldest first. */
  retries: PathBuild[];
}

export interface VersionPath {
  /**
   * Jobs in the order in which they are reached: those that take the version, jobs downstream, and jobs that
   * take versions which puts of these jobs made.
   */
  path: PathEntry[];
  /** Versions whose builds are needed to follow the path further. */
  needs: number[];
}

/**
 * Limit for the versions that are followed through puts. In a pipeline that puts what it gets, the path has
 * no end.
 */
const MAX_FOLLOWED_VERSIONS = 100;

/** The jobs that a version can go through, with the builds that took it. */
export function versionPath(facts: PathFacts): VersionPath {
  const followed = new Map<number, Set<number>>([[facts.start.resource, new Set([facts.start.version])]]);
  const reached = new Map<string, PathBuild[]>();
  for (;;) {
    const sizeBefore = sizeOf(followed, reached);
    for (const job of facts.jobs) visit(job, facts, { followed, reached });
    if (sizeOf(followed, reached) === sizeBefore) break;
  }
  const versions = [...followed.values()].flatMap((set) => [...set]);
  return {
    path: [...reached].map(([job, builds]) => pathEntry(job, builds)),
    needs: versions.filter((version) => !facts.builds.has(version)),
  };
}

interface Walk {
  followed: Map<number, Set<number>>;
  reached: Map<string, PathBuild[]>;
}

function visit(job: PathJob, facts: PathFacts, { followed, reached }: Walk): void {
  const gets = job.gets.filter(
    ({ resource, passed }) =>
      followed.has(resource) && (passed.length === 0 || passed.some((upstream) => reached.has(upstream))),
  );
  if (gets.length === 0) return;
  const versions = gets.flatMap(({ resource }) => [...(followed.get(resource) ?? [])]);
  const builds = versions
    .flatMap((version) => facts.builds.get(version) ?? [])
    .filter((build) => build.job === job.name);
  reached.set(job.name, [...new Map(builds.map((build) => [build.id, build])).values()]);
  for (const { resource, version } of builds.flatMap((build) => build.outputs))
    if (countFollowed(followed) < MAX_FOLLOWED_VERSIONS)
      followed.set(resource, (followed.get(resource) ?? new Set()).add(version));
}

function countFollowed(followed: Walk['followed']): number {
  return [...followed.values()].reduce((sum, versions) => sum + versions.size, 0);
}

/** Grows whenever a visit follows another version or reaches another job or build. */
function sizeOf(followed: Walk['followed'], reached: Walk['reached']): number {
  return countFollowed(followed) + [...reached.values()].reduce((sum, builds) => sum + builds.length + 1, 0);
}

function pathEntry(job: string, builds: PathBuild[]): PathEntry {
  const byId = builds.toSorted((a, b) => a.id - b.id);
  const newest = byId.findLast(({ number }) => originalNumber(number) === number) ?? byId.at(-1);
  if (newest === undefined) return { job, retries: [] };
  const original = originalNumber(newest.number);
  const retries = byId.filter((build) => build !== newest && originalNumber(build.number) === original);
  return { job, build: newest, retries };
}
