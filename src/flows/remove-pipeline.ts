import type { Bell, PipelineName, PipelineStore } from './ports.ts';

export interface RemovePipelinePorts {
  store: Pick<PipelineStore, 'removePipeline'>;
  bell: Pick<Bell, 'ring'>;
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
    const running = await stopPipeline(name, ports);
    if (running === 0 || late) return { outcome: 'removed' };
    const builds = running === 1 ? 'one build' : `${running} builds`;
    return { outcome: 'waiting', message: `Waiting for ${builds} to end.` };
  } catch (error) {
    if (!late) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return { outcome: 'abandoned', message: `The database could not be told: ${message}` };
  }
}

/** Its running builds hear of it at once. Answers how many there are. */
export async function stopPipeline(
  name: PipelineName,
  { store, bell }: RemovePipelinePorts,
): Promise<number> {
  const { runningBuilds } = await store.removePipeline(name);
  for (const build of runningBuilds) bell.ring('cancel', build);
  return runningBuilds.length;
}
