/**
 * The order of what a viewer reads: what is shown stays in its place, also if it sorts or matches differently
 * by now; new things come last, and what no longer exists goes.
 */
export function calmOrder(
  shown: readonly number[],
  matching: readonly number[],
  existing: ReadonlySet<number>,
): number[] {
  return [...new Set([...shown.filter((id) => existing.has(id)), ...matching])];
}

export function isSameOrder(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((id, index) => id === other[index]);
}
