import type { Facts, ResourceFacts } from './facts.ts';
import { goodBuildsIn, type GoodBuilds } from './good-builds.ts';

/** Facts, indexed for lookups. */
export interface Snapshot {
  resource(id: number): ResourceFacts;
  goodBuilds: GoodBuilds;
  /** Row id of the version at a place. */
  idOf: (version: number) => number;
  /** No older pages will come: a search that needs one ends without a result. */
  exhausted: boolean;
}

/**
 * `resource` of the snapshot throws for a resource that is not in the facts: the facts must list all
 * resources that the jobs get.
 */
export function snapshotOf(facts: Facts): Snapshot {
  const resources = new Map(facts.resources.map((resource) => [resource.id, resource]));
  return {
    resource(id) {
      const found = resources.get(id);
      if (found === undefined) throw new Error(`The facts lack resource ${id}, which a get takes.`);
      return found;
    },
    goodBuilds: goodBuildsIn(facts.passes),
    idOf: (version) => facts.ids?.get(version) ?? version,
    exhausted: facts.exhausted ?? false,
  };
}
