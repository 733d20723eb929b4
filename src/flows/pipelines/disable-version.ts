import { cancelledByDisable } from '#domain/scheduling/build-changes.ts';
import type { ActionDone, ActionPorts, ActionRefused } from '#flows/builds/action-ports.ts';
import { notifyOfAction } from '#flows/builds/notify-of-action.ts';
import type { ResourceName } from '#flows/names.ts';

/** Takes a version (row id) out of use. Ends automatic builds with the version that have not started. */
export async function disableVersion(
  name: ResourceName,
  { version, by }: { version: number; by: string },
  ports: ActionPorts,
): Promise<ActionDone | ActionRefused> {
  const at = ports.now();
  const answer = await ports.actions.withPipeline(name, async (tx): Promise<ActionDone | ActionRefused> => {
    const resource = await tx.resource(name.resource, version);
    if (resource === undefined) return { answer: 'unknown' };
    await tx.disableVersion(version, by);
    const builds = await tx.unstartedBuilds(resource.id);
    const cancelled = cancelledByDisable({ resource: resource.id, version }, builds);
    const stopped = await tx.endUnstarted(cancelled, { by, message: 'The version was disabled.', at });
    await tx.requestDecision(resource.id);
    return { answer: 'done', pipelineId: tx.pipelineId, stopped };
  });
  notifyOfAction(answer, ports);
  return answer;
}

export async function enableVersion(
  name: ResourceName,
  version: number,
  ports: ActionPorts,
): Promise<ActionDone | ActionRefused> {
  const answer = await ports.actions.withPipeline(name, async (tx): Promise<ActionDone | ActionRefused> => {
    const resource = await tx.resource(name.resource, version);
    if (resource === undefined) return { answer: 'unknown' };
    await tx.enableVersion(version, resource.id);
    await tx.requestDecision(resource.id);
    return { answer: 'done', pipelineId: tx.pipelineId, stopped: [] };
  });
  notifyOfAction(answer, ports);
  return answer;
}
