import { decideWarning } from '#domain/scheduling/build-changes.ts';
import type { BuildRef } from '#flows/names.ts';
import type { ActionDone, ActionPorts, ActionRefused } from './action-ports.ts';
import { notifyOfAction } from './notify-of-action.ts';

/** Turns a failed build into a warning, so that downstream jobs can use its versions. */
export async function markWarning(
  ref: BuildRef,
  by: string,
  ports: ActionPorts,
): Promise<ActionDone | ActionRefused> {
  const answer = await ports.actions.withPipeline(ref, async (tx): Promise<ActionDone | ActionRefused> => {
    const build = await tx.build(ref);
    if (build === undefined) return { answer: 'unknown' };
    const decision = decideWarning(build.status);
    if (decision.answer === 'refused') return { answer: 'refused', reasons: [decision.reason] };
    await tx.markWarning(build, by);
    return { answer: 'done', pipelineId: tx.pipelineId, stopped: [] };
  });
  notifyOfAction(answer, ports);
  return answer;
}
