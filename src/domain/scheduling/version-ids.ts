import type { BuildCause, DecidedBuilds } from './decision.ts';

/** Replaces the places of versions in the builds of a decision by row ids, which the database stores. */
export function withRowIds(decision: DecidedBuilds, ids: ReadonlyMap<number, number>): DecidedBuilds {
  if (ids.size === 0) return decision;
  const idOf = (version: number): number => ids.get(version) ?? version;
  const causeWithRowId = (cause: BuildCause): BuildCause =>
    cause.kind === 'manual' ? cause : { ...cause, version: idOf(cause.version) };
  return {
    ...decision,
    builds: decision.builds.map((build) => ({
      ...build,
      versions: build.versions.map(idOf),
      cause: causeWithRowId(build.cause),
    })),
  };
}
