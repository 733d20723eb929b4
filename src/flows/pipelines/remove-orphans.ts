import type { PipelineName } from '#flows/names.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { PipelineStore } from './ports.ts';
import { stopPipeline } from './remove-pipeline.ts';

export interface RemoveOrphansPorts {
  store: Pick<PipelineStore, 'livePipelines' | 'removePipeline'>;
  notifications: Pick<Notifications, 'notify'>;
  /**
   * Whether there is a Pipeline object; asked for after the database, so that one that was saved is known.
   */
  exists(namespace: string, pipeline: string): boolean;
}

/** Stops pipelines whose object went while the database was away. Their history stays. */
export async function removeOrphans(ports: RemoveOrphansPorts): Promise<PipelineName[]> {
  const live = await ports.store.livePipelines();
  const orphans = live.filter(({ namespace, pipeline }) => !ports.exists(namespace, pipeline));
  for (const orphan of orphans) await stopPipeline(orphan, ports);
  return orphans;
}
