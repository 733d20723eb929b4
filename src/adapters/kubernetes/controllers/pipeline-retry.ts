import type { PipelineApplied } from '#flows/pipelines/apply-pipeline.ts';

/**
 * The pause after a refusal that may pass without a change of the manifest, apart from the two below: an
 * unavailable source, a busy machine, a team at its limit of pipelines, a refused rename, or somebody else's
 * CronJob.
 */
const UNAVAILABLE_RETRY_MS = 60_000;
/** The pause while a rename waits for running builds. */
const RENAMING_RETRY_MS = 2000;
/** The pause while a pipeline waits for its turn to fetch sources. */
const WAITING_RETRY_MS = 1000;

/**
 * The pause before the manifest is applied again. Undefined if time alone does not change the outcome: the
 * operator then waits for a change of the object, its Team, or a ConfigMap or Secret that it refers to.
 */
export function retryAfterMs(applied: PipelineApplied): number | undefined {
  if (applied.outcome === 'renaming')
    return applied.reason === 'Renaming' ? RENAMING_RETRY_MS : UNAVAILABLE_RETRY_MS;
  if (applied.outcome === 'waiting') return WAITING_RETRY_MS;
  const { blockedChecks = [] } = applied;
  const again = applied.outcome === 'unavailable' && applied.again === true;
  // No informer reports when somebody else's CronJob is deleted.
  return again || blockedChecks.length > 0 ? UNAVAILABLE_RETRY_MS : undefined;
}
