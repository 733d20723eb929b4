import type { PipelineStatus } from '#adapters/kubernetes/informers/projections.ts';
import type { EventNote } from '#adapters/kubernetes/watch/recorder.ts';
import { FAULT_REASONS } from '#domain/scheduling/reasons.ts';
import { CHECKS_BLOCKED, HOOKS_FAILED, QUEUE_FULL, TAGS_REFUSED, TRUNCATED } from './pipeline-conditions.ts';

/** The Events for the difference between two statuses. */
export function eventsBetween(before: PipelineStatus | undefined, after: PipelineStatus): EventNote[] {
  return [
    ...revisionEvents(before, after),
    ...buildEvents(before, after),
    ...checkEvents(before, after),
    ...waitingEvents(before, after),
    ...conditionEvents(TRUNCATED, 'Check', [before, after]),
    ...conditionEvents(HOOKS_FAILED, 'Hook', [before, after]),
    ...conditionEvents(QUEUE_FULL, 'Schedule', [before, after]),
    ...conditionEvents(TAGS_REFUSED, 'Apply', [before, after]),
    ...conditionEvents(CHECKS_BLOCKED, 'Apply', [before, after]),
  ];
}

function revisionEvents(before: PipelineStatus | undefined, after: PipelineStatus): EventNote[] {
  const [oldReady, newReady] = [conditionOf(before, 'Ready'), conditionOf(after, 'Ready')];
  const applied = after.revision !== undefined && after.revision !== before?.revision;
  const refused =
    newReady?.status === 'False' &&
    (oldReady?.reason !== newReady.reason || oldReady.message !== newReady.message);
  return [
    ...(applied
      ? [normal('RevisionApplied', 'Apply', `Revision ${after.revision}: ${planText(after)}`)]
      : []),
    ...(refused ? [warning(newReady.reason, 'Apply', newReady.message)] : []),
  ];
}

function planText({ lastPlan, jobCount, resourceCount }: PipelineStatus): string {
  const changes = (['jobs', 'resources'] as const).flatMap((kind) =>
    (['added', 'changed', 'removed'] as const).flatMap((change) => {
      const names = lastPlan?.[kind]?.[change] ?? [];
      return names.length === 0 ? [] : [`${kind} ${change}: ${names.slice(0, 5).join(', ')}`];
    }),
  );
  const jobs = jobCount === 1 ? '1 job' : `${jobCount} jobs`;
  const resources = resourceCount === 1 ? '1 resource' : `${resourceCount} resources`;
  return [`${jobs}, ${resources}`, ...changes, ...(lastPlan?.histories ?? []).slice(0, 5)].join('; ');
}

function buildEvents(before: PipelineStatus | undefined, after: PipelineStatus): EventNote[] {
  // `before` has no facts, so the builds in `after` may belong to an earlier object of the same name.
  if (before?.jobCount === undefined) return [];
  const known = new Map((before.jobs ?? []).map((job) => [job.name, job.lastBuild]));
  return (after.jobs ?? []).flatMap(({ name, lastBuild }) => {
    const previous = known.get(name);
    if (
      lastBuild === undefined ||
      (previous?.number === lastBuild.number && previous.status === lastBuild.status)
    ) {
      return [];
    }
    // A short build may start and end between two statuses. If it succeeded, it has started, so the Event of
    // its start is added. If it failed or was cancelled, it may never have started.
    const wasStarted = previous?.number === lastBuild.number && previous.status === 'started';
    const isStartMissing = lastBuild.status === 'succeeded' && !wasStarted;
    const started = isStartMissing ? buildEvent(name, { ...lastBuild, status: 'started' }) : undefined;
    return [started, buildEvent(name, lastBuild)].filter((event) => event !== undefined);
  });
}

function buildEvent(
  job: string,
  { number, status }: { number: string; status: string },
): EventNote | undefined {
  const build = `Build ${number} of job ${job}`;
  switch (status) {
    case 'started':
      return normal('BuildStarted', 'Build', `${build} started.`);
    case 'succeeded':
      return normal('BuildSucceeded', 'Build', `${build} succeeded.`);
    case 'failed':
      return warning('BuildFailed', 'Build', `${build} failed.`);
    case 'warning':
      return warning('BuildWarning', 'Build', `${build} failed, and counts as a warning.`);
    case 'waiting':
      return normal('BuildWaiting', 'Build', `${build} waits for approval.`);
    case 'cancelled':
      return normal('BuildCancelled', 'Build', `${build} was cancelled.`);
    default:
      return undefined;
  }
}

function checkEvents(before: PipelineStatus | undefined, after: PipelineStatus): EventNote[] {
  if (before?.jobCount === undefined) return [];
  const known = new Map(before.failingChecks?.map(({ resource, message }) => [resource, message]));
  return (after.failingChecks ?? []).flatMap(({ resource, message }) =>
    known.get(resource) === message
      ? []
      : [warning('CheckFailed', 'Check', `The check of ${resource} failed: ${message}`)],
  );
}

/**
 * The Events for jobs and builds with a new reason to wait. Pipelines usually begin with one of
 * INITIAL_REASONS, so those reasons cause no Event.
 */
function waitingEvents(before: PipelineStatus | undefined, after: PipelineStatus): EventNote[] {
  if (before?.jobCount === undefined) return [];
  const known = new Set(before.waiting?.map(waitingKey));
  return (after.waiting ?? [])
    .filter((waiting) => !INITIAL_REASONS.has(waiting.reason) && !known.has(waitingKey(waiting)))
    .map(({ job, build, reason, message }) => {
      const subject = build === undefined ? `Job ${job} gets no build` : `Build ${build} of job ${job} waits`;
      const note = `${subject}: ${message}`;
      return WARNING_REASONS.has(reason)
        ? warning(reason, 'Schedule', note)
        : normal(reason, 'Schedule', note);
    });
}

const INITIAL_REASONS = new Set(['NoVersion', 'NothingPassed', 'PipelinePaused']);
const WARNING_REASONS: ReadonlySet<string> = FAULT_REASONS;

type WaitingStatus = NonNullable<PipelineStatus['waiting']>[number];

/**
 * Leaves out the message: its counts and versions change often, and must not cause another Event for the same
 * reason.
 */
function waitingKey({ job, build, reason }: WaitingStatus): string {
  return `${job} ${build} ${reason}`;
}

/**
 * The Event of a condition that is present only while something is wrong: when it appears, and when its
 * message changes.
 */
function conditionEvents(
  type: string,
  action: string,
  [before, after]: [PipelineStatus | undefined, PipelineStatus],
): EventNote[] {
  if (before?.jobCount === undefined) return [];
  const message = conditionOf(after, type)?.message;
  if (message === undefined || message === conditionOf(before, type)?.message) return [];
  return [warning(type, action, message)];
}

function conditionOf(status: PipelineStatus | undefined, conditionType: string) {
  return status?.conditions?.find(({ type }) => type === conditionType);
}

function normal(reason: string, action: string, note: string): EventNote {
  return { type: 'Normal', reason, action, note };
}

function warning(reason: string, action: string, note: string): EventNote {
  return { type: 'Warning', reason, action, note };
}
