import { defined } from '#defined';
import { whyQueuePaused } from '#domain/scheduling/queue-limits.ts';
import type { PipelineName } from '#flows/names.ts';
import { isStalled } from '#flows/views/show-check.ts';
import type { PipelineFacts, PipelineStore } from './ports.ts';

/** What `status` of a Pipeline shows. */
export async function pipelineFacts(
  name: PipelineName,
  store: Pick<PipelineStore, 'storedFacts' | 'cronNext'>,
  now: Date,
): Promise<PipelineFacts | undefined> {
  const stored = await store.storedFacts(name);
  if (stored === undefined) return undefined;
  const { queued, resources, ...facts } = stored;
  return {
    ...facts,
    queueFull: whyQueuePaused(queued).length > 0,
    resources: resources.map(({ schedule, dueSince, ...resource }) => {
      const due = defined({ schedule, dueSince });
      return { ...resource, stalled: isStalled(due, now, store.cronNext) };
    }),
  };
}
