import { defined } from '#defined';
import { versionPath, type PathBuild, type PathJob } from '#domain/scheduling/version-path.ts';
import type { ResourceName } from '#flows/names.ts';
import type { PathBuildView, VersionPathView } from './ports.ts';

export interface VersionPathStore {
  /** Undefined: the resource has no such version, or retention removed its fields. */
  versionToFollow(name: ResourceName, version: number): Promise<VersionToFollow | undefined>;
  /** The newest builds of the pipeline with one of these versions as an input. */
  buildsThatTook(pipeline: number, versions: readonly number[]): Promise<PathBuildRow[]>;
}

export interface VersionToFollow {
  /** Row ids. */
  pipeline: number;
  resource: number;
  fields: Record<string, string>;
  jobs: PathJob[];
}

export type PathBuildRow = PathBuild & PathBuildView & { version: number };

/**
 * Follows a version from build to build, and through the versions that the puts of these builds made. Each
 * query reads the builds of all versions that the round before has found.
 */
export async function showVersionPath(
  name: ResourceName,
  version: number,
  store: VersionPathStore,
): Promise<VersionPathView | undefined> {
  const followed = await store.versionToFollow(name, version);
  if (followed === undefined) return undefined;
  const { pipeline, resource, fields, jobs } = followed;
  const shown = new Map<number, PathBuildView>();
  const builds = new Map<number, PathBuild[]>();
  for (;;) {
    const { path, needs } = versionPath({ jobs, start: { resource, version }, builds });
    if (needs.length === 0) {
      const shownPath = path.map((entry) => toView(entry, shown));
      return { resource: name.resource, version, fields, path: shownPath };
    }
    for (const needed of needs) builds.set(needed, []);
    for (const { version: takenVersion, ...build } of await store.buildsThatTook(pipeline, needs)) {
      builds.get(takenVersion)?.push(build);
      shown.set(build.id, viewOf(build));
    }
  }
}

function viewOf({ id, number, status, startedAt, endedAt }: PathBuildView): PathBuildView {
  return { id, number, status, ...defined({ startedAt, endedAt }) };
}

type PathEntry = ReturnType<typeof versionPath>['path'][number];

function toView(
  { job, build, retries }: PathEntry,
  shown: ReadonlyMap<number, PathBuildView>,
): VersionPathView['path'][number] {
  const view = build && shown.get(build.id);
  return {
    job,
    ...defined({ build: view }),
    retries: retries.flatMap((retry) => shown.get(retry.id) ?? []),
  };
}
