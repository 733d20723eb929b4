import { decideCancel } from '#domain/scheduling/build-changes.ts';
import type { BuildRef } from '#flows/names.ts';
import type { ActionDone, ActionPorts, ActionRefused } from './action-ports.ts';
import { notifyOfAction } from './notify-of-action.ts';

/**
 * Ends a build that has not started. A running build is asked to stop: its agent still runs the hooks of the
 * job.
 */
export async function cancelBuild(
  ref: BuildRef,
  by: string,
  ports: ActionPorts,
): Promise<ActionDone | ActionRefused> {
  const at = ports.now();
  const answer = await ports.actions.withPipeline(ref, async (tx): Promise<ActionDone | ActionRefused> => {
    const build = await tx.build(ref);
    if (build === undefined) return { answer: 'unknown' };
    const decision = decideCancel(build.status);
    if (decision.answer === 'refused') return { answer: 'refused', reasons: [decision.reason] };
    await tx.cancel(build, { by, message: `Cancelled by ${by}.`, at });
    return { answer: 'done', pipelineId: tx.pipelineId, stopped: [build.id] };
  });
  notifyOfAction(answer, ports);
  return answer;
}
