import type { PipelineStatus } from '#adapters/kubernetes/informers/projections.ts';
import { defined } from '#defined';
import type { Misplaced } from '#domain/planning/place-pod.ts';
import type { PipelineApplied } from '#flows/pipelines/apply-pipeline.ts';
import type { PipelineFacts } from '#flows/pipelines/ports.ts';
import { notReady, readyVerdict, type WantedCondition } from './conditions.ts';
import { lastPlanOf } from './last-plan.ts';

/**
 * What of a Pipeline's status is known beside the facts: the verdict on its definition and what the last
 * change did.
 */
export interface ManifestVerdict {
  ready: WantedCondition;
  /** The user has to change something before it goes on. */
  stalled: boolean;
  lastPlan?: PipelineStatus['lastPlan'];
  /** What of it gets no Pod, because of its tags. */
  refusedTags?: Misplaced[] | undefined;
  /** Checks whose CronJob cannot be made, a sentence for each. */
  blockedChecks?: string[] | undefined;
}

/** The verdict on an applied manifest. */
export function verdictOf(applied: PipelineApplied, before: PipelineStatus | undefined): ManifestVerdict {
  const kept = before?.lastPlan;
  const { refusedTags, blockedChecks } = applied;
  if (applied.outcome === 'applied') return verdictOfAccepted(applied, kept);
  if (applied.outcome === 'waiting')
    return defined({
      ready: WAITING_FOR_SOURCES,
      stalled: false,
      lastPlan: kept,
      refusedTags,
      blockedChecks,
    });
  if (applied.outcome === 'renamed' || applied.outcome === 'renaming') return verdictOfRename(applied);
  const [reason, told] =
    applied.outcome === 'invalid'
      ? ['InvalidConfig', applied.errors.join('\n')]
      : [applied.reason, applied.message];
  const ready = notReady(reason, withLastGood(told, applied.facts));
  const passesByItself = applied.outcome === 'unavailable' && applied.again === true;
  return defined({ ready, stalled: !passesByItself, lastPlan: kept, refusedTags, blockedChecks });
}

/** The verdict that the leader before this one wrote about the same generation. */
export function verdictBefore(
  status: PipelineStatus | undefined,
  generation: number,
): ManifestVerdict | undefined {
  const ready = readyVerdict(status?.conditions, generation);
  if (ready === undefined || TRANSIENT_REASONS.has(ready.reason)) return undefined;
  const stalled = status?.conditions?.some((one) => one.type === 'Stalled' && one.status === 'True') === true;
  return defined({ ready, stalled, lastPlan: status?.lastPlan });
}

/** What Ready says while nothing has been decided about the text. */
const TRANSIENT_REASONS: ReadonlySet<string> = new Set(['Retrying', 'TeamNotReady', 'NoTeam', 'Terminating']);

function verdictOfAccepted(
  { saved, facts, warnings, refusedTags, blockedChecks }: PipelineApplied & { outcome: 'applied' },
  kept: PipelineStatus['lastPlan'],
): ManifestVerdict {
  const lastPlan = saved.changed ? lastPlanOf(saved.difference) : kept;
  const message = [`Revision ${saved.revision} runs.`, ...warnings].join('\n');
  const ready = { type: 'Ready', status: 'True' as const, reason: 'Accepted', message };
  return defined({
    ready: facts?.paused === true ? paused(ready) : ready,
    stalled: false,
    lastPlan,
    refusedTags,
    blockedChecks,
  });
}

function verdictOfRename(applied: PipelineApplied & { outcome: 'renamed' | 'renaming' }): ManifestVerdict {
  if (applied.outcome === 'renamed')
    return { ready: notReady('Renamed', `It goes on as ${applied.to}.`), stalled: false };
  const { reason, message } = applied;
  return { ready: notReady(reason, message), stalled: reason === 'RenameRefused' };
}

const WAITING_FOR_SOURCES: WantedCondition = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'WaitingForSources',
  message: 'The sources of other pipelines are being fetched. It is its turn in a moment.',
};

function paused(ready: WantedCondition): WantedCondition {
  return {
    ...ready,
    reason: 'Paused',
    message: `${ready.message} It is paused: resources are checked, nothing is built.`,
  };
}

function withLastGood(message: string, facts: PipelineFacts | undefined): string {
  return facts === undefined ? message : `${message}\nRevision ${facts.revision} goes on.`;
}
