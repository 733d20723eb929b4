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

/** How long a deletion waits for builds to end, and for a database that does not answer. */
const REMOVAL_DEADLINE_MS = 60_000;

/**
 * Stops everything of a pipeline; its history stays. The deletion waits for running builds, but no longer
 * than the deadline: after it the object goes even if the database is away, and what is left is cleared when
 * the database is back.
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
    const told = running === 1 ? `one ${what}` : `${running} ${what}s`;
    return { outcome: 'waiting', message: `Waiting for ${told} to end.` };
  } catch (error) {
    if (!late) throw error;
    const message = error instanceof Error ? error.message : String(error);
    return { outcome: 'abandoned', message: `The database could not be told: ${message}` };
  }
}

/** With an object that was renamed only the Pods of its checks go: what it was goes on under another name. */
async function leave(name: PipelineName & { uid: string }, ports: RemovePipelinePorts) {
  const renamed = await ports.store.renamedTo(name.uid);
  if (renamed !== undefined) return { running: renamed.runningChecks, what: 'check' };
  return { running: await stopPipeline(name, ports), what: 'build' };
}

/** Its running builds hear of it at once. Answers how many there are. */
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
