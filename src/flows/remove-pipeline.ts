import type { PipelineName, PipelineStore } from './ports.ts';

export interface RemovePipelinePorts {
  store: Pick<PipelineStore, 'removePipeline'>;
}

export type PipelineRemoved =
  | { outcome: 'removed' }
  | { outcome: 'waiting'; message: string }
  | { outcome: 'abandoned'; message: string };

/** How long a deletion waits for builds to end, and for a database that does not answer. */
const REMOVAL_DEADLINE_MS = 60_000;

/**
 * Stops everything of a pipeline; its history stays. The deletion waits for running builds, but no longer than the deadline: after it
 * the object goes even if the database is away, and what is left is cleared when the database is back.
 */
export async function removePipeline(
  name: PipelineName,
  askedMsAgo: number,
  ports: RemovePipelinePorts,
): Promise<PipelineRemoved> {
  const late = askedMsAgo >= REMOVAL_DEADLINE_MS;
  try {
    const { runningBuilds } = await ports.store.removePipeline(name);
    if (runningBuilds === 0 || late) return { outcome: 'removed' };
    const builds = runningBuilds === 1 ? 'one build' : `${runningBuilds} builds`;
    return { outcome: 'waiting', message: `Waiting for ${builds} to end.` };
  } catch (error) {
    if (!late) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return { outcome: 'abandoned', message: `The database could not be told: ${message}` };
  }
}
