import type { PipelineStatus } from '#adapters/kubernetes/informers/projections.ts';
import { MAX_CHECK_VERSIONS } from '#domain/build/parse-check-output.ts';
import { QUEUE_PAUSED_MESSAGE } from '#domain/scheduling/queue-limits.ts';
import type { PipelineFacts } from '#flows/pipelines/ports.ts';
import type { WantedCondition } from './conditions.ts';
import { lastBuildOf, type LastBuild } from './last-build.ts';
import type { ManifestVerdict } from './pipeline-verdict.ts';
import { firstTexts, MAX_MESSAGE_CHARACTERS } from './status-limits.ts';

export const TRUNCATED = 'VersionsTruncated';
export const HOOKS_FAILED = 'HooksFailed';
export const QUEUE_FULL = 'QueueFull';
export const TAGS_REFUSED = 'TagsRefused';
export const CHECKS_BLOCKED = 'ChecksBlocked';

export interface PipelineConditionInput {
  verdict: ManifestVerdict;
  /**
   * Undefined if they were not read, or there is no revision yet: the status keeps what it says about builds
   * and checks.
   */
  facts: PipelineFacts | undefined;
  /** Why the last attempt failed, if another attempt follows. */
  fault?: string | undefined;
  before: PipelineStatus | undefined;
}

export function pipelineConditions(input: PipelineConditionInput): WantedCondition[] {
  const { verdict, facts, before } = input;
  return [
    verdict.ready,
    ...progressConditions(input),
    ...tagCondition(verdict),
    ...blockedCondition(verdict),
    ...(facts === undefined ? factConditionsBefore(before) : factConditions(facts)),
  ];
}

function progressConditions({ verdict, fault }: PipelineConditionInput): WantedCondition[] {
  const conditions: WantedCondition[] = [];
  if (verdict.stalled) {
    const message = 'Change the manifest to continue.';
    conditions.push({ type: 'Stalled', status: 'True', reason: verdict.ready.reason, message });
  }
  if (fault !== undefined)
    conditions.push({ type: 'Reconciling', status: 'True', reason: 'Retrying', message: fault });
  return conditions;
}

function tagCondition({ refusedTags: [first, ...others] = [] }: ManifestVerdict): WantedCondition[] {
  if (first === undefined) return [];
  const message = firstTexts([first, ...others].map((refused) => refused.message)).join('\n');
  return [{ type: TAGS_REFUSED, status: 'True', reason: first.reason, message }];
}

function blockedCondition({ blockedChecks = [] }: ManifestVerdict): WantedCondition[] {
  if (blockedChecks.length === 0) return [];
  const message = firstTexts(blockedChecks).join('\n');
  return [{ type: CHECKS_BLOCKED, status: 'True', reason: 'CronJobNotOurs', message }];
}

function factConditionsBefore(before: PipelineStatus | undefined): WantedCondition[] {
  const conditions = before?.conditions?.filter(({ type }) => FACT_CONDITIONS.includes(type)) ?? [];
  return conditions.map(({ type, status, reason, message }) => ({ type, status, reason, message }));
}

const FACT_CONDITIONS = ['LastBuildSucceeded', 'ChecksStalled', TRUNCATED, HOOKS_FAILED, QUEUE_FULL];

function factConditions(facts: PipelineFacts): WantedCondition[] {
  const last = lastBuildOf(facts);
  const stalled = facts.resources.filter((resource) => resource.stalled).map(({ name }) => name);
  return [
    ...(last === undefined ? [] : [lastBuildCondition(last)]),
    ...whileAny(stalled, (text) => ({
      type: 'ChecksStalled',
      reason: 'Overdue',
      message: `Not checked for more than twice the interval: ${text}.`,
    })),
    ...whileAny(facts.resources.flatMap(omittedText), (text) => ({
      type: TRUNCATED,
      reason: 'TooManyVersions',
      message: `One check returns at most ${MAX_CHECK_VERSIONS} versions: ${text}.`,
    })),
    ...whileAny(facts.queueFull === true ? [QUEUE_PAUSED_MESSAGE] : [], (message) => ({
      type: QUEUE_FULL,
      reason: 'TooManyQueuedBuilds',
      message,
    })),
    ...whileAny(facts.resources.flatMap(hooksText), (text) => ({
      type: HOOKS_FAILED,
      reason: 'HookFailed',
      message: text.slice(0, MAX_MESSAGE_CHARACTERS),
    })),
  ];
}

/** Returns the condition if there are texts, and otherwise nothing. */
function whileAny(
  texts: string[],
  condition: (text: string) => Omit<WantedCondition, 'status'>,
): WantedCondition[] {
  return texts.length === 0 ? [] : [{ ...condition(firstTexts(texts).join(', ')), status: 'True' }];
}

function hooksText({ name, hooksError }: PipelineFacts['resources'][number]): string[] {
  return hooksError === undefined ? [] : [`${name}: ${hooksError}`];
}

function omittedText({ name, omitted }: PipelineFacts['resources'][number]): string[] {
  if (omitted === undefined) return [];
  return [
    omitted === 1
      ? `ignored the oldest version of ${name}`
      : `ignored the oldest ${omitted} versions of ${name}`,
  ];
}

const BUILD_REASONS: Record<string, string> = {
  succeeded: 'BuildSucceeded',
  failed: 'BuildFailed',
  cancelled: 'BuildCancelled',
  warning: 'BuildWarning',
};

function lastBuildCondition({ job, number, status }: LastBuild): WantedCondition {
  return {
    type: 'LastBuildSucceeded',
    status: status === 'succeeded' || status === 'warning' ? 'True' : 'False',
    reason: BUILD_REASONS[status] ?? 'BuildEnded',
    message: `Build ${number} of job ${job}: ${status}.`,
  };
}
