import { decideVote, type Vote } from '#domain/scheduling/vote.ts';
import type { BuildRef } from '#flows/names.ts';
import type { ActionPorts, ActionRefused, Voted } from './action-ports.ts';
import { notifyOfAction } from './notify-of-action.ts';

/** Approves or rejects a build that waits for approval. */
export async function voteOnBuild(
  ref: BuildRef,
  vote: Vote,
  ports: ActionPorts,
): Promise<Voted | ActionRefused> {
  const at = ports.now();
  const answer = await ports.actions.withPipeline(ref, async (tx): Promise<Voted | ActionRefused> => {
    const build = await tx.build(ref);
    if (build === undefined) return { answer: 'unknown' };
    const decision = decideVote(build, vote);
    if (decision.answer === 'refused') return { answer: 'refused', reasons: [decision.reason] };
    const { answer: state, message } = decision;
    await tx.recordVote(build, vote, at);
    if (state === 'approved') await tx.approve(build, at);
    if (state === 'rejected') await tx.reject(build, { message, at });
    return { answer: 'done', pipelineId: tx.pipelineId, stopped: [], state, message };
  });
  notifyOfAction(answer, ports);
  return answer;
}
