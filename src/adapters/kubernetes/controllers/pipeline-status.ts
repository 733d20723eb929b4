import type { Wire } from '#adapters/kubernetes/api/kinds.ts';
import { defined } from '#adapters/kubernetes/defined.ts';
import type { PipelineObject } from '#adapters/kubernetes/kinds/custom-resources.ts';
import { MOST_VERSIONS } from '#domain/build/parse-check-output.ts';
import type { Misplaced } from '#domain/planning/place-pod.ts';
import type { NameDifference } from '#domain/scheduling/definition-difference.ts';
import { QUEUE_PAUSED_MESSAGE } from '#domain/scheduling/queue-limits.ts';
import { ORDINARY } from '#domain/scheduling/reasons.ts';
import type { PipelineApplied } from '#flows/pipelines/apply-pipeline.ts';
import type { PipelineFacts, SavedPipeline, Waiting } from '#flows/pipelines/ports.ts';
import { conditionsOf, notReady, readyVerdict, type WantedCondition } from './conditions.ts';

export type PipelineStatus = NonNullable<Wire<PipelineObject>['status']>;

const MOST_NAMES = 100;
const MOST_FAILING = 20;
const MOST_WAITING = 20;
const LONGEST_MESSAGE = 1024;
/** Resources that one condition names. */
const MOST_TOLD = 5;
export const TRUNCATED = 'VersionsTruncated';
export const HOOKS_FAILED = 'HooksFailed';
export const QUEUE_FULL = 'QueueFull';
export const TAGS_REFUSED = 'TagsRefused';
export const CHECKS_BLOCKED = 'ChecksBlocked';

/**
 * What of a Pipeline's status is known beside the facts: the verdict on its definition and what the last
 * change did.
 */
export interface Verdict {
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
export function verdictOf(applied: PipelineApplied, before: PipelineStatus | undefined): Verdict {
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
export function verdictBefore(status: PipelineStatus | undefined, generation: number): Verdict | undefined {
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
): Verdict {
  const lastPlan = saved.changed ? planOf(saved.difference) : kept;
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

function verdictOfRename(applied: PipelineApplied & { outcome: 'renamed' | 'renaming' }): Verdict {
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

function planOf({ jobs, resources, histories }: SavedPipeline['difference']): PipelineStatus['lastPlan'] {
  return filled({
    jobs: bounded(jobs),
    resources: bounded(resources),
    histories: some(histories.map((text) => text.slice(0, MAX_HISTORY_CHARACTERS))),
  });
}

function bounded({ added, changed, removed }: NameDifference): Partial<NameDifference> | undefined {
  return filled({ added: some(added), changed: some(changed), removed: some(removed) });
}

/**
 * Nothing at all where nothing changed: server-side apply would make null of an object that lost its last
 * field.
 */
function filled<T extends object>(object: T): ReturnType<typeof defined<T>> | undefined {
  const kept = defined(object);
  return Object.keys(kept).length === 0 ? undefined : kept;
}

/** A list that says something: an empty one is left out. */
function some<T>(items: T[], most = MOST_NAMES): T[] | undefined {
  return items.length === 0 ? undefined : items.slice(0, most);
}

const MAX_HISTORY_CHARACTERS = 512;

export interface StatusInput {
  verdict: Verdict;
  facts: PipelineFacts | undefined;
  /** Set while a try has failed and another follows. */
  trouble?: string | undefined;
  before: PipelineStatus | undefined;
  generation: number;
  now: Date;
}

/** The whole status: equal input gives an equal status, so that nothing is written when nothing changed. */
export function pipelineStatus(input: StatusInput): PipelineStatus {
  const { verdict, facts, before, generation, now } = input;
  const told = facts === undefined ? keptConditions(before) : factConditions(facts);
  const wanted = [
    verdict.ready,
    ...trouble(input),
    ...tagCondition(verdict),
    ...blockedCondition(verdict),
    ...told,
  ];
  return defined({
    // As below: facts that are out of reach stay as they were known.
    ...(facts === undefined ? before : factFields(facts)),
    observedGeneration: generation,
    lastPlan: verdict.lastPlan,
    conditions: conditionsOf(wanted, before?.conditions, generation, now),
  });
}

function trouble({ verdict, trouble: message }: StatusInput): WantedCondition[] {
  const { reason } = verdict.ready;
  return [
    ...(verdict.stalled
      ? [{ type: 'Stalled', status: 'True' as const, reason, message: 'The manifest has to be changed.' }]
      : []),
    ...(message === undefined
      ? []
      : [{ type: 'Reconciling', status: 'True' as const, reason: 'Retrying', message }]),
  ];
}

function tagCondition({ refusedTags: [first, ...others] = [] }: Verdict): WantedCondition[] {
  if (first === undefined) return [];
  const message = shortened([first, ...others].map((refused) => refused.message)).join('\n');
  return [{ type: TAGS_REFUSED, status: 'True', reason: first.reason, message }];
}

function blockedCondition({ blockedChecks = [] }: Verdict): WantedCondition[] {
  if (blockedChecks.length === 0) return [];
  const message = shortened(blockedChecks).join('\n');
  return [{ type: CHECKS_BLOCKED, status: 'True', reason: 'CronJobNotOurs', message }];
}

/** While the facts are out of reach, what was known of them stays. */
function keptConditions(before: PipelineStatus | undefined): WantedCondition[] {
  const kept = before?.conditions?.filter(({ type }) => OF_FACTS.includes(type)) ?? [];
  return kept.map(({ type, status, reason, message }) => ({ type, status, reason, message }));
}

const OF_FACTS = ['LastBuildSucceeded', 'ChecksStalled', TRUNCATED, HOOKS_FAILED, QUEUE_FULL];

function factFields(facts: PipelineFacts): Partial<PipelineStatus> {
  const last = lastEnded(facts);
  return defined({
    revision: facts.revision,
    paused: facts.paused,
    jobCount: facts.jobs.length,
    resourceCount: facts.resources.length,
    lastBuild: last && `${last.job.slice(0, 200)} #${last.number} ${last.status}`,
    jobs: some(facts.jobs)?.map(({ name, paused: stopped, lastBuild }) => ({
      name,
      ...(stopped ? { paused: true } : {}),
      ...(lastBuild === undefined
        ? {}
        : {
            lastBuild: defined({
              number: lastBuild.number,
              status: lastBuild.status,
              endedAt: lastBuild.endedAt?.toISOString().replace(/\.\d+Z$/, 'Z'),
            }),
          }),
    })),
    waiting: some((facts.waiting ?? []).flatMap(waitingText), MOST_WAITING),
    failingChecks: some(facts.resources.flatMap(failingCheck), MOST_FAILING),
  });
}

function waitingText({ job, number, reason }: Waiting): NonNullable<PipelineStatus['waiting']> {
  if (ORDINARY.has(reason.code)) return [];
  const message = reason.message.slice(0, LONGEST_MESSAGE);
  return [{ job, ...(number === undefined ? {} : { build: number }), reason: reason.code, message }];
}

function failingCheck({
  name,
  checkError,
}: PipelineFacts['resources'][number]): { resource: string; message: string }[] {
  if (checkError === undefined) return [];
  return [{ resource: name, message: checkError.slice(0, LONGEST_MESSAGE) }];
}

interface Ended {
  job: string;
  number: string;
  status: string;
  endedAt: Date;
}

function lastEnded(facts: PipelineFacts): Ended | undefined {
  return facts.jobs
    .flatMap(({ name, lastBuild }) =>
      lastBuild?.endedAt === undefined ? [] : [{ ...lastBuild, job: name, endedAt: lastBuild.endedAt }],
    )
    .toSorted((a, b) => b.endedAt.getTime() - a.endedAt.getTime())[0];
}

function factConditions(facts: PipelineFacts): WantedCondition[] {
  const last = lastEnded(facts);
  const stalled = facts.resources.filter((resource) => resource.stalled).map(({ name }) => name);
  return [
    ...(last === undefined ? [] : [lastBuildCondition(last)]),
    ...whileAny(stalled, (told) => ({
      type: 'ChecksStalled',
      reason: 'Overdue',
      message: `No check of ${told} for more than twice its interval.`,
    })),
    ...whileAny(facts.resources.flatMap(cutText), (told) => ({
      type: TRUNCATED,
      reason: 'TooManyVersions',
      message: `One check brings at most ${MOST_VERSIONS} versions: ${told}.`,
    })),
    ...whileAny(facts.queueFull === true ? [QUEUE_PAUSED_MESSAGE] : [], (message) => ({
      type: QUEUE_FULL,
      reason: 'TooManyQueuedBuilds',
      message,
    })),
    ...whileAny(facts.resources.flatMap(hooksText), (told) => ({
      type: HOOKS_FAILED,
      reason: 'HookFailed',
      message: told.slice(0, LONGEST_MESSAGE),
    })),
  ];
}

/** A condition that is there only while something is wrong. */
function whileAny(
  texts: string[],
  condition: (told: string) => Omit<WantedCondition, 'status'>,
): WantedCondition[] {
  return texts.length === 0 ? [] : [{ ...condition(few(texts)), status: 'True' }];
}

function hooksText({ name, hooksError }: PipelineFacts['resources'][number]): string[] {
  return hooksError === undefined ? [] : [`${name}: ${hooksError}`];
}

function cutText({ name, cut }: PipelineFacts['resources'][number]): string[] {
  if (cut === undefined) return [];
  return [`of ${name} ${cut === 1 ? 'the oldest was' : `the ${cut} oldest were`} left out`];
}

function few(texts: string[]): string {
  return shortened(texts).join(', ');
}

function shortened(texts: string[]): string[] {
  const more = texts.length > MOST_TOLD ? [`and ${texts.length - MOST_TOLD} more`] : [];
  return [...texts.slice(0, MOST_TOLD), ...more];
}

const BUILD_REASONS: Record<string, string> = {
  succeeded: 'BuildSucceeded',
  failed: 'BuildFailed',
  cancelled: 'BuildCancelled',
  warning: 'BuildWarning',
};

function lastBuildCondition({ job, number, status }: Ended): WantedCondition {
  return {
    type: 'LastBuildSucceeded',
    status: status === 'succeeded' || status === 'warning' ? 'True' : 'False',
    reason: BUILD_REASONS[status] ?? 'BuildEnded',
    message: `Build ${number} of job ${job}: ${status}.`,
  };
}
