import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { canonicalText } from '#domain/scheduling/check-scope.ts';
import type { NameDifference, SavedPipeline } from '#flows/ports.ts';

/** Which jobs and resources came, changed and went. Both definitions are JSON, so equal texts mean equal values. */
export function differenceBetween(
  before: Pipeline | undefined,
  after: Pipeline,
): Omit<SavedPipeline['difference'], 'histories'> {
  return {
    jobs: compare(before?.jobs ?? [], after.jobs),
    resources: compare(withTypes(before), withTypes(after)),
  };
}

function withTypes(pipeline: Pipeline | undefined): { name: string }[] {
  const types = new Map(pipeline?.resourceTypes.map((type) => [type.name, type]));
  return (pipeline?.resources ?? []).map((resource) => ({
    ...resource,
    definedBy: types.get(resource.type),
  }));
}

/** A new name alone changes nothing. */
const textOf = (item: object): string => canonicalText({ ...item, oldName: undefined });

function compare(before: { name: string }[], after: { name: string }[]): NameDifference {
  const old = new Map(before.map((item) => [item.name, textOf(item)]));
  const names = new Set(after.map((item) => item.name));
  return {
    added: after.filter((item) => !old.has(item.name)).map((item) => item.name),
    changed: after
      .filter((item) => old.has(item.name) && old.get(item.name) !== textOf(item))
      .map((item) => item.name),
    removed: before.filter((item) => !names.has(item.name)).map((item) => item.name),
  };
}
