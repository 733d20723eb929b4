import type { PipelineName } from '#flows/names.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { PipelineStore } from './ports.ts';
import { stopPipeline } from './remove-pipeline.ts';

export interface RemoveOrphansPorts {
  store: Pick<PipelineStore, 'livePipelines' | 'removePipeline'>;
  notifications: Pick<Notifications, 'notify'>;
  /**
   * Whether the watch shows the Pipeline object. Call it only after reading the database. The operator saves
   * a pipeline only after the watch has shown its object. So a saved pipeline that the watch does not show
   * has lost its object.
   */
  exists(namespace: string, pipeline: string): boolean;
}

/**
 * Stops pipelines whose object no longer exists, such as after a deletion while the database was unreachable.
 * Their history stays.
 */
export async function removeOrphans(ports: RemoveOrphansPorts): Promise<PipelineName[]> {
  const orphans: PipelineName[] = [];
  for (const { namespace, ...pipeline } of await ports.store.livePipelines()) {
    // Checked right before each pipeline is stopped, because its object may have been created again
    // meanwhile.
    if (ports.exists(namespace, pipeline.pipeline)) continue;
    await stopPipeline(pipeline, ports);
    orphans.push(pipeline);
  }
  return orphans;
}
