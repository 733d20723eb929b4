import type { PipelineApplied } from '#flows/pipelines/apply-pipeline.ts';

/** What stands elsewhere and could not be reached is tried again. */
const UNAVAILABLE_RETRY_MS = 60_000;
/** Builds that a rename waits for end soon. */
const RENAMING_RETRY_MS = 2000;
/** Sources of other pipelines are fetched first. */
const WAITING_RETRY_MS = 1000;

/** What may come out differently though nothing of the object changes. */
export function retryAfterMs(applied: PipelineApplied): number | undefined {
  if (applied.outcome === 'renaming')
    return applied.reason === 'Renaming' ? RENAMING_RETRY_MS : UNAVAILABLE_RETRY_MS;
  if (applied.outcome === 'waiting') return WAITING_RETRY_MS;
  const { blockedChecks = [] } = applied;
  const again = applied.outcome === 'unavailable' && applied.again === true;
  // A CronJob of somebody else is not watched.
  return again || blockedChecks.length > 0 ? UNAVAILABLE_RETRY_MS : undefined;
}
