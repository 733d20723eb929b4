import type { PipelineStatus } from '#adapters/kubernetes/informers/projections.ts';
import { defined } from '#defined';
import type { NameDifference } from '#domain/scheduling/definition-difference.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { boundedList } from './status-limits.ts';

const MAX_HISTORY_CHARACTERS = 512;

/** What the last accepted text changed. */
export function lastPlanOf({
  jobs,
  resources,
  histories,
}: SavedPipeline['difference']): PipelineStatus['lastPlan'] {
  return withoutUndefined({
    jobs: bounded(jobs),
    resources: bounded(resources),
    histories: boundedList(histories.map((text) => text.slice(0, MAX_HISTORY_CHARACTERS))),
  });
}

function bounded({ added, changed, removed }: NameDifference): Partial<NameDifference> | undefined {
  return withoutUndefined({
    added: boundedList(added),
    changed: boundedList(changed),
    removed: boundedList(removed),
  });
}

/**
 * The fields that are not undefined. The result is undefined if there are none: server-side apply would turn
 * an object without its last field into null.
 */
function withoutUndefined<T extends object>(object: T): ReturnType<typeof defined<T>> | undefined {
  const fields = defined(object);
  return Object.keys(fields).length === 0 ? undefined : fields;
}
