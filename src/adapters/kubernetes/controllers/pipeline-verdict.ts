import type { PipelineStatus } from '#adapters/kubernetes/informers/projections.ts';
import { defined } from '#defined';
import type { PlacementRefusal } from '#domain/planning/choose-nodes.ts';
import type { PipelineApplied } from '#flows/pipelines/apply-pipeline.ts';
import type { PipelineFacts } from '#flows/pipelines/ports.ts';
import { notReady, readyVerdict, type WantedCondition } from './conditions.ts';
import { lastPlanOf } from './last-plan.ts';

/** The part of a Pipeline's status that does not come from the database. */
export interface ManifestVerdict {
  ready: WantedCondition;
  /**
   * Whether somebody has to change the manifest, or an object that it needs, such as its Team or a ConfigMap.
   */
  stalled: boolean;
  lastPlan?: PipelineStatus['lastPlan'];
  /** Jobs and resources that get no Pod because of their tags. */
  refusedTags?: PlacementRefusal[] | undefined;
  /** One message for each CronJob that cannot be created. */
  blockedChecks?: string[] | undefined;
}

/** The verdict on an applied manifest. */
export function verdictOf(applied: PipelineApplied, before: PipelineStatus | undefined): ManifestVerdict {
  const lastPlan = before?.lastPlan;
  const { refusedTags, blockedChecks } = applied;
  if (applied.outcome === 'applied') return verdictOfAccepted(applied, lastPlan);
  if (applied.outcome === 'waiting')
    return defined({
      ready: WAITING_FOR_SOURCES,
      stalled: false,
      lastPlan,
      refusedTags,
      blockedChecks,
    });
  if (applied.outcome === 'renamed' || applied.outcome === 'renaming') return verdictOfRename(applied);
  const [reason, message] =
    applied.outcome === 'invalid'
      ? ['InvalidConfig', applied.errors.join('\n')]
      : [applied.reason, applied.message];
  const ready = notReady(reason, withLastGood(message, applied.facts));
  const isTriedAgain = applied.outcome === 'unavailable' && applied.again === true;
  return defined({ ready, stalled: !isTriedAgain, lastPlan, refusedTags, blockedChecks });
}

/**
 * The verdict in the status, if it has one for this generation. Lacks the refused tags and the blocked
 * checks.
 */
export function verdictBefore(
  status: PipelineStatus | undefined,
  generation: number,
): ManifestVerdict | undefined {
  const ready = readyVerdict(status?.conditions, generation);
  if (ready === undefined || TRANSIENT_REASONS.has(ready.reason)) return undefined;
  const stalled = status?.conditions?.find(({ type }) => type === 'Stalled')?.status === 'True';
  return defined({ ready, stalled, lastPlan: status?.lastPlan });
}

/** Reasons of Ready=False that are not a verdict on the text. */
const TRANSIENT_REASONS: ReadonlySet<string> = new Set(['Retrying', 'TeamNotReady', 'NoTeam', 'Terminating']);

function verdictOfAccepted(
  { saved, facts, warnings, refusedTags, blockedChecks }: PipelineApplied & { outcome: 'applied' },
  before: PipelineStatus['lastPlan'],
): ManifestVerdict {
  const lastPlan = saved.changed ? lastPlanOf(saved.difference) : before;
  const message = [`Revision ${saved.revision} is current.`, ...warnings].join('\n');
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
    return { ready: notReady('Renamed', `The pipeline continues as ${applied.to}.`), stalled: false };
  const { reason, message } = applied;
  return { ready: notReady(reason, message), stalled: reason === 'RenameRefused' };
}

const WAITING_FOR_SOURCES: WantedCondition = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'WaitingForSources',
  message: 'Waiting until the sources of other pipelines are fetched.',
};

function paused(ready: WantedCondition): WantedCondition {
  return {
    ...ready,
    reason: 'Paused',
    message: `${ready.message} It is paused: checks run, but start no builds.`,
  };
}

function withLastGood(message: string, facts: PipelineFacts | undefined): string {
  return facts === undefined ? message : `${message}\nRevision ${facts.revision} keeps running.`;
}
