import type { VersionSet } from './automatic-sets.ts';
import type { JobFacts } from './facts.ts';

/**
 * One list of automatic sets and those that people asked for. A request for a set that is built anyway is
 * answered by that build, which then counts as the person's. In an interruptible job, where the last set
 * wins, what people asked for comes last: versions that they knew of do not interrupt it.
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
  const unanswered = new Map(automatic.map((set, index) => [keyOf(set), index]));
  for (const set of requested) {
    const same = unanswered.get(keyOf(set));
    if (same === undefined) merged.push(set);
    else merged[same] = { ...merged[same], ...set };
    unanswered.delete(keyOf(set));
  }
  return merged;
}

const keyOf = ({ versions }: VersionSet): string => String(versions);
