import type { Facts, ResourceFacts } from './facts.ts';
import { goodBuildsIn, type GoodBuilds } from './good-builds.ts';

/** Facts, indexed for lookups. */
export interface Snapshot {
  resource(id: number): ResourceFacts;
  goodBuilds: GoodBuilds;
  /** Row id of the version at a place. */
  idOf: (version: number) => number;
  /** No older pages can be had: a search that would need one ends. */
  exhausted: boolean;
}

/** Its `resource` throws for a resource that the facts leave out: they must list all that the jobs get. */
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
