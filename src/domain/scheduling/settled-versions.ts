import { unusedOf, type AutomaticSets } from './automatic-sets.ts';
import type { ChosenSet } from './choose-set.ts';
import type { Decision } from './decision.ts';
import type { GetFacts, JobFacts } from './facts.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Up to which version each trigger that takes every version is settled: no version up to there needs a build.
 * Nothing is settled for a get with `passed`, since an older version may pass after a newer one, nor for a
 * pinned resource, whose other versions wait.
 */
export function settledVersions(
  job: JobFacts,
  { automatic, choice }: { automatic: AutomaticSets; choice: ChosenSet },
  snapshot: Snapshot,
): Decision['settled'] {
  return job.gets.flatMap((get, position) => {
    if (!get.trigger || !get.every || get.passed.length > 0) return [];
    if (snapshot.resource(get.resource).pinned !== undefined) return [];
    const postponed = automatic.postponed.includes(position) ? choice.versions[position] : undefined;
    const version = settledUpTo(get, postponed, snapshot);
    return version === undefined ? [] : [{ job: job.id, get: position, version }];
  });
}

/**
 * Row id of the last settled version. A postponed version, and versions that were found after it, are not
 * settled.
 */
function settledUpTo(get: GetFacts, postponed: number | undefined, snapshot: Snapshot): number | undefined {
  const unused = unusedOf(get, snapshot);
  const end = postponed === undefined || !unused.includes(postponed) ? Infinity : snapshot.idOf(postponed);
  const settled = unused.map((version) => snapshot.idOf(version)).filter((id) => id < end);
  return settled.length === 0 ? undefined : Math.max(...settled);
}
