import type { PipelineName } from '#flows/names.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { PipelineStore } from './ports.ts';

export interface RemovePipelinePorts {
  store: Pick<PipelineStore, 'removePipeline' | 'renamedTo'>;
  notifications: Pick<Notifications, 'notify'>;
}

export type PipelineRemoved =
  | { outcome: 'removed' }
  | { outcome: 'waiting'; message: string }
  | { outcome: 'abandoned'; message: string };

/** Longest that a deletion waits for builds to end, or for the database. */
const REMOVAL_DEADLINE_MS = 60_000;

/**
 * Stops everything of a pipeline; its history stays. The deletion waits for running builds, up to the
 * deadline. After that the object is deleted even without the database, and the rest is cleared when the
 * database is back.
 */
export async function removePipeline(
  name: PipelineName & { uid: string },
  askedMsAgo: number,
  ports: RemovePipelinePorts,
): Promise<PipelineRemoved> {
  const late = askedMsAgo >= REMOVAL_DEADLINE_MS;
  try {
    const { running, what } = await leave(name, ports);
    if (running === 0 || late) return { outcome: 'removed' };
    const count = running === 1 ? `one ${what}` : `${running} ${what}s`;
    return { outcome: 'waiting', message: `Waiting for ${count} to end.` };
  } catch (error) {
    if (!late) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return { outcome: 'abandoned', message: `The database was not updated: ${message}` };
  }
}

/** A renamed object loses only its check Pods: the pipeline continues under its new name. */
async function leave(name: PipelineName & { uid: string }, ports: RemovePipelinePorts) {
  const renamed = await ports.store.renamedTo(name.uid);
  if (renamed !== undefined) return { running: renamed.runningChecks, what: 'check' };
  return { running: await stopPipeline(name, ports), what: 'build' };
}

/** Notifies the agents of running builds. Returns the number of those builds. */
export async function stopPipeline(
  name: PipelineName,
  {
    store,
    notifications,
  }: Pick<RemovePipelinePorts, 'notifications'> & { store: Pick<PipelineStore, 'removePipeline'> },
): Promise<number> {
  const { runningBuilds } = await store.removePipeline(name);
  for (const build of runningBuilds) notifications.notify({ topic: 'cancel', build });
  return runningBuilds.length;
}
