/**
 * The order in which one decision builds its sets: oldest first, and the newest set last, so that the newest
 * versions are deployed last. To compare two sets, the versions of each are sorted from old to new. At the
 * first difference, the set with the older version goes first.
 */
export function orderSets<VersionSet extends { versions: readonly number[] }>(
  sets: readonly VersionSet[],
  newest: readonly number[],
): VersionSet[] {
  if (sets.length < 2) return [...sets];
  const newestKey = String(newest);
  return sets
    .map((set) => ({
      set,
      isNewest: String(set.versions) === newestKey,
      oldestFirst: set.versions.toSorted((a, b) => a - b),
    }))
    .toSorted((a, b) => Number(a.isNewest) - Number(b.isNewest) || compareByAge(a.oldestFirst, b.oldestFirst))
    .map(({ set }) => set);
}

function compareByAge(a: readonly number[], b: readonly number[]): number {
  const firstDifference = a.findIndex((version, index) => version !== b[index]);
  return firstDifference === -1 ? 0 : (a[firstDifference] ?? 0) - (b[firstDifference] ?? 0);
}
