import { chooseSet, know } from './choose-set.ts';
import type { Facts, JobFacts, Taken } from './facts.ts';

/**
 * Upstream builds without which the jobs could not take the versions that they would take now; retention
 * leaves them.
 */
export function vouchers(facts: Facts): number[] {
  const known = know(facts);
  return facts.jobs.flatMap((job) => {
    const { versions } = chooseSet(job, known);
    return [...takenThrough(job, versions)].flatMap(
      ([upstream, fixed]) => known.passes.voucher(upstream, fixed) ?? [],
    );
  });
}

/** What a job takes through each of its upstream jobs. */
function takenThrough(job: JobFacts, versions: (number | undefined)[]): Map<number, Taken[]> {
  const taken = new Map<number, Taken[]>();
  for (const [index, { resource, passed }] of job.gets.entries()) {
    const version = versions[index];
    if (version === undefined) continue;
    for (const upstream of passed)
      taken.set(upstream.job, [...(taken.get(upstream.job) ?? []), { resource, version }]);
  }
  return taken;
}
