import { floorAfterUnpin } from '#domain/scheduling/baselines.ts';
import { cancelledByPin } from '#domain/scheduling/build-changes.ts';
import { whyManaged } from '#domain/scheduling/why-managed.ts';
import type {
  ActionDone,
  ActionPorts,
  ActionRefused,
  Pin,
  PinToWrite,
  PinTransaction,
} from '#flows/builds/action-ports.ts';
import { notifyOfAction } from '#flows/builds/notify-of-action.ts';
import type { ResourceName } from '#flows/names.ts';

/**
 * Holds the resource at this version. Ends builds with another version of the resource that have not started.
 */
export async function pinResource(
  name: ResourceName,
  pin: Pin,
  ports: ActionPorts,
): Promise<ActionDone | ActionRefused> {
  const at = ports.now();
  const answer = await ports.actions.withPipeline(name, async (tx): Promise<ActionDone | ActionRefused> => {
    const resource = await tx.resource(name.resource, pin.version);
    if (resource === undefined) return { answer: 'unknown' };
    const reason = whyManaged(resource.managed);
    if (reason !== undefined) return { answer: 'refused', reasons: [reason] };
    const stopped = await writePin({ ...pin, resource: resource.id }, at, tx);
    return { answer: 'done', pipelineId: tx.pipelineId, stopped };
  });
  notifyOfAction(answer, ports);
  return answer;
}

export async function unpinResource(
  name: ResourceName,
  ports: ActionPorts,
): Promise<ActionDone | ActionRefused> {
  const answer = await ports.actions.withPipeline(name, async (tx): Promise<ActionDone | ActionRefused> => {
    const resource = await tx.resource(name.resource);
    if (resource === undefined) return { answer: 'unknown' };
    const reason = whyManaged(resource.managed);
    if (reason !== undefined) return { answer: 'refused', reasons: [reason] };
    if (resource.pinned) await writeUnpin(resource.id, tx);
    return { answer: 'done', pipelineId: tx.pipelineId, stopped: [] };
  });
  notifyOfAction(answer, ports);
  return answer;
}

/**
 * Writes the pin, and returns the row ids of the builds that it ended. The versions of these builds do not
 * count as used, so they may trigger builds after the unpin.
 */
export async function writePin(pin: PinToWrite, at: Date, tx: PinTransaction): Promise<number[]> {
  // No version has the row id 0, so a pin of a version that is not found yet ends builds with any version.
  const { resource, version = 0, by } = pin;
  await tx.pin(pin, at);
  const cancelled = cancelledByPin({ resource, version }, await tx.unstartedBuilds(resource));
  const message = 'The resource was pinned to another version.';
  const ended = await tx.endUnstarted(cancelled, { by, message, at });
  await tx.requestDecision(resource);
  return ended;
}

/**
 * Unpins the resource (row id). Of the versions that were found while it was pinned, only the newest one that
 * is ready may trigger a build.
 */
export async function writeUnpin(resource: number, tx: PinTransaction): Promise<void> {
  await tx.unpin(resource);
  const gets = await tx.getsOf(resource);
  await tx.saveFloors(gets.map((get) => ({ ...get, floor: floorAfterUnpin(get) })));
  await tx.requestDecision(resource);
}
