import { decideRetry } from '#domain/scheduling/retry-build.ts';
import type { BuildRef } from '#flows/names.ts';
import type { ActionPorts, ActionRefused, Retried } from './action-ports.ts';
import { notifyOfAction } from './notify-of-action.ts';

interface RetryByWebhook {
  /**
   * Details of the entry that this flow writes into the audit log. For people, the routes write the entry.
   */
  audit: Record<string, string>;
}

/** Creates a build with the inputs and the revision of the original. */
export async function retryBuild(
  ref: BuildRef,
  by: string,
  ports: ActionPorts,
  webhook?: RetryByWebhook,
): Promise<Retried | ActionRefused> {
  const at = ports.now();
  const answer = await ports.actions.withPipeline(ref, async (tx): Promise<Retried | ActionRefused> => {
    const build = await tx.build(ref);
    if (build === undefined) return { answer: 'unknown' };
    const byWebhook = webhook !== undefined;
    const decision = decideRetry({ ...(await tx.retryFacts(build)), number: ref.number, byWebhook });
    if (decision.answer === 'refused') return decision;
    const { number, state, interrupts } = decision;
    const stopped = await tx.cancelAll(interrupts, { message: 'A retry took its place.', at });
    await tx.retry(build, { number, of: ref.number, state, by, at });
    if (webhook !== undefined) {
      const target = `${ref.pipeline}/${ref.job}/${ref.number}`;
      const details = { ...webhook.audit, number };
      await tx.recordAudit({ actor: by, action: 'job.retried', targetType: 'build', target, details, at });
    }
    return { answer: 'done', pipelineId: tx.pipelineId, stopped, build: { ...ref, number } };
  });
  notifyOfAction(answer, ports);
  return answer;
}
