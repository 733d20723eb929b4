import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { canonicalText } from './check-scope.ts';

export interface NameDifference {
  added: string[];
  changed: string[];
  removed: string[];
}

export interface DefinitionDifference {
  jobs: NameDifference;
  resources: NameDifference;
}

/** Current names by earlier names. */
export interface NewNames {
  jobs: ReadonlyMap<string, string>;
  resources: ReadonlyMap<string, string>;
}

/** Jobs and resources that were added, changed and removed. A resource also changes with its type. */
export function differenceBetween(before: Pipeline | undefined, after: Pipeline): DefinitionDifference {
  return {
    jobs: compare(before?.jobs ?? [], after.jobs),
    resources: compare(withTypes(before), withTypes(after)),
  };
}

/**
 * The difference between two definitions. Renamed jobs and resources count as changed. `before` already has
 * the current names (`withNames`).
 */
export function differenceWithNames(
  before: Pipeline | undefined,
  after: Pipeline,
  renames: NewNames,
): DefinitionDifference {
  const { jobs, resources } = differenceBetween(before, after);
  return { jobs: withRenamed(jobs, renames.jobs), resources: withRenamed(resources, renames.resources) };
}

/**
 * The earlier definition with the current names of its jobs and resources, so that it can be compared with
 * the current definition.
 */
export function withNames(definition: Pipeline | undefined, renames: NewNames): Pipeline | undefined {
  if (definition === undefined) return undefined;
  return {
    ...definition,
    jobs: definition.jobs.map((job) => ({ ...job, name: renames.jobs.get(job.name) ?? job.name })),
    resources: definition.resources.map((resource) => {
      const name = renames.resources.get(resource.name);
      return name === undefined ? resource : { ...resource, name, label: name.slice(name.indexOf('.') + 1) };
    }),
  };
}

function withRenamed(difference: NameDifference, renames: ReadonlyMap<string, string>): NameDifference {
  const renamed = [...renames.values()].filter((name) => !difference.added.includes(name));
  return { ...difference, changed: [...new Set([...difference.changed, ...renamed])] };
}

function withTypes(pipeline: Pipeline | undefined): { name: string }[] {
  const types = new Map(pipeline?.resourceTypes.map((type) => [type.name, type]));
  return (pipeline?.resources ?? []).map((resource) => ({
    ...resource,
    definedBy: types.get(resource.type),
  }));
}

/** The text by which items are compared. A different `oldName` alone is not a change. */
const comparableText = (item: object): string => canonicalText({ ...item, oldName: undefined });

function compare(before: { name: string }[], after: { name: string }[]): NameDifference {
  const textsBefore = new Map(before.map((item) => [item.name, comparableText(item)]));
  const names = new Set(after.map((item) => item.name));
  return {
    added: after.filter((item) => !textsBefore.has(item.name)).map((item) => item.name),
    changed: after
      .filter((item) => textsBefore.has(item.name) && textsBefore.get(item.name) !== comparableText(item))
      .map((item) => item.name),
    removed: before.filter((item) => !names.has(item.name)).map((item) => item.name),
  };
}
