/**
 * An order that does not move the entries that a viewer reads. Entries that are shown keep their order, even
 * if they would now sort differently or no longer match. New entries come last. Deleted entries are dropped.
 */
export function calmOrder(
  shown: readonly number[],
  matching: readonly number[],
  existing: ReadonlySet<number>,
): number[] {
  return [...new Set([...shown.filter((id) => existing.has(id)), ...matching])];
}

export function isSameOrder(ids: readonly number[], otherIds: readonly number[]): boolean {
  return ids.length === otherIds.length && ids.every((id, index) => id === otherIds[index]);
}
