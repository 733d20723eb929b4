import type { Facts, GetFacts, JobFacts, ResourceFacts } from './facts.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * The facts with no version held, for requests of people that do not cascade: these do not wait for hooks.
 */
export function ignoreHolds(facts: Facts): Facts {
  if (facts.resources.every(({ held }) => held === undefined)) return facts;
  return { ...facts, resources: facts.resources.map(withoutHold) };
}

function withoutHold(resource: ResourceFacts): ResourceFacts {
  const copy = { ...resource };
  delete copy.held;
  return copy;
}

/** The job for automatic builds: its gets list no held version as unused. */
export function withoutHeld(
  job: JobFacts,
  { resource, idOf }: Pick<Snapshot, 'resource' | 'idOf'>,
): JobFacts {
  const isHeld = (get: GetFacts): boolean => resource(get.resource).held !== undefined;
  if (!job.gets.some(isHeld)) return job;
  return {
    ...job,
    gets: job.gets.map((get) => {
      const { held } = resource(get.resource);
      if (held === undefined) return get;
      return { ...get, unused: get.unused.filter((version) => idOf(version) < held.from) };
    }),
  };
}
