import type { Known } from './choose-set.ts';
import type { Facts, GetFacts, JobFacts, ResourceFacts } from './facts.ts';

/** The same facts for people's requests, which wait for no hooks. */
export function withoutHolds(facts: Facts): Facts {
  if (facts.resources.every(({ held }) => held === undefined)) return facts;
  return { ...facts, resources: facts.resources.map(free) };
}

function free(resource: ResourceFacts): ResourceFacts {
  const same = { ...resource };
  delete same.held;
  return same;
}

/** The same job as automatic builds may know it: without the versions whose hooks run. */
export function withoutHeld(job: JobFacts, { resource, idOf }: Pick<Known, 'resource' | 'idOf'>): JobFacts {
  const isHeld = (get: GetFacts): boolean => resource(get.resource).held !== undefined;
  if (!job.gets.some(isHeld)) return job;
  return {
    ...job,
    gets: job.gets.map((get) => {
      const { held } = resource(get.resource);
      return held === undefined
        ? get
        : { ...get, unused: get.unused.filter((version) => idOf(version) < held.from) };
    }),
  };
}
