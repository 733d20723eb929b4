import { chooseSet } from './choose-set.ts';
import type { Facts, JobFacts, ResourceVersion } from './facts.ts';
import { snapshotOf } from './snapshot.ts';

/**
 * For the versions that each job would take now through `passed`: the newest good build of each upstream job
 * that has them all. Retention keeps these builds.
 */
export function buildsNeededDownstream(facts: Facts): number[] {
  const snapshot = snapshotOf(facts);
  return facts.jobs.flatMap((job) => {
    const { versions } = chooseSet(job, snapshot);
    return [...versionsByUpstream(job, versions)].flatMap(
      ([upstream, taken]) => snapshot.goodBuilds.newestBuild(upstream, taken) ?? [],
    );
  });
}

function versionsByUpstream(
  { gets }: JobFacts,
  versions: (number | undefined)[],
): Map<number, ResourceVersion[]> {
  const taken = new Map<number, ResourceVersion[]>();
  for (const [position, { resource, passed }] of gets.entries()) {
    const version = versions[position];
    if (version === undefined) continue;
    for (const upstream of passed)
      taken.set(upstream.job, [...(taken.get(upstream.job) ?? []), { resource, version }]);
  }
  return taken;
}
