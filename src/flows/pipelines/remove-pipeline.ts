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

/** The longest time that a deletion waits for builds to end, or for the database. */
const REMOVAL_DEADLINE_MS = 60_000;

/**
 * Cancels the builds of a pipeline, and starts no further checks; its history stays. The deletion of its
 * object waits for running builds, up to the deadline. After that the object is deleted even if the database
 * is unreachable, and `removeOrphans` stops the pipeline later.
 */
export async function removePipeline(
  name: PipelineName & { uid: string },
  requestedMsAgo: number,
  ports: RemovePipelinePorts,
): Promise<PipelineRemoved> {
  const isLate = requestedMsAgo >= REMOVAL_DEADLINE_MS;
  try {
    const { running, noun } = await stopAndCount(name, ports);
    if (running === 0 || isLate) return { outcome: 'removed' };
    const count = running === 1 ? `one ${noun}` : `${running} ${noun}s`;
    return { outcome: 'waiting', message: `Waiting for ${count} to end.` };
  } catch (error) {
    if (!isLate) throw error;
    const message = Error.isError(error) ? error.message : String(error);
    return { outcome: 'abandoned', message: `The database was not updated: ${message}` };
  }
}

/**
 * Stops the pipeline, and counts the running builds that the deletion waits for. After a rename, stops
 * nothing and counts running checks: builds continue under the new name.
 */
async function stopAndCount(name: PipelineName & { uid: string }, ports: RemovePipelinePorts) {
  const renamed = await ports.store.renamedTo(name.uid);
  if (renamed !== undefined) return { running: renamed.runningChecks, noun: 'check' };
  const { team, pipeline } = name;
  return { running: await stopPipeline({ team, pipeline }, ports), noun: 'build' };
}

/**
 * Stops the pipeline, and notifies the agents of its running builds. Returns the number of these builds. With
 * `uid`, stops only the pipeline of that object.
 */
export async function stopPipeline(
  name: PipelineName & { uid?: string },
  {
    store,
    notifications,
  }: Pick<RemovePipelinePorts, 'notifications'> & { store: Pick<PipelineStore, 'removePipeline'> },
): Promise<number> {
  const { runningBuilds } = await store.removePipeline(name);
  for (const build of runningBuilds) notifications.notify({ topic: 'cancel', build });
  return runningBuilds.length;
}
