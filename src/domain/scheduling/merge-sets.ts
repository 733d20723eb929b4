import type { VersionSet } from './automatic-sets.ts';
import type { JobFacts } from './facts.ts';

/**
 * Merges automatic sets and requested ones. If an automatic set is also requested, one build of it answers
 * the request and counts as requested. In an interruptible job the last build interrupts the others, so
 * requested sets come last. Otherwise an automatic build of versions that the person already knew of would
 * interrupt the requested build.
 */
export function mergeSets(
  { interruptible = false }: JobFacts,
  automatic: VersionSet[],
  requested: readonly VersionSet[],
): VersionSet[] {
  if (requested.length === 0) return automatic;
  if (interruptible) {
    const keys = new Set(requested.map(keyOf));
    return [...automatic.filter((set) => !keys.has(keyOf(set))), ...requested];
  }
  const merged = [...automatic];
  /** Indexes of the automatic sets that answer no request yet. */
  const unanswered = new Map(automatic.map((set, index) => [keyOf(set), index]));
  for (const set of requested) {
    const index = unanswered.get(keyOf(set));
    if (index === undefined) merged.push(set);
    else merged[index] = { ...merged[index], ...set };
    unanswered.delete(keyOf(set));
  }
  return merged;
}

const keyOf = ({ versions }: VersionSet): string => String(versions);
