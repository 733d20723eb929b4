import { builtInSource } from '#domain/pipeline/built-in-source.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { automaticNotifications, jobIn } from '#domain/planning/find-in-pipeline.ts';
import type { PreviousOutcome } from '#domain/planning/plan.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { BuildOutcome } from './events.ts';
import { sendsFor } from './notification-events.ts';

/** A build that began to wait for approval, or that ended without its agent. */
export interface DueNotifications {
  /** Row id. */
  id: number;
  moment: 'waiting' | 'ended';
  team: string;
  pipelineId: number;
  /** Row id of the build's revision. */
  revision: number;
  job: string;
  status: BuildStatus;
  previousOutcome?: PreviousOutcome;
  /** Notifications that its agent began to send before it was lost. Those that set a status are sent again. */
  sent: string[];
  ageSeconds: number;
  definition: Pipeline;
}

export interface NotificationRun {
  pipelineId: number;
  revision: number;
  job: string;
  builds: { id: number; notifications: string[] }[];
}

export interface NotificationDecision {
  /** At most one of each team. */
  runs: NotificationRun[];
  /** Row ids of those that send nothing. */
  nothing: number[];
  /** Notifications that are dropped because they are too late to help. */
  late: NotificationRun['builds'];
  /** Requests for an approval that the build no longer waits for. */
  overtaken: (NotificationRun['builds'][number] & { why: string })[];
}

/** Builds that one Pod notifies of. */
export const MAX_BUILDS_OF_RUN = 10;
export const MAX_NOTIFICATION_AGE_SECONDS = 60 * 60;

/** `due`: oldest first. Builds of one job and revision share a run. */
export function decideNotificationRuns(due: readonly DueNotifications[]): NotificationDecision {
  const named = due.map((one) => ({ ...one, notifications: notificationsDue(one) }));
  const [all, nothing] = partition(named, ({ notifications }) => notifications.length > 0);
  const [overtaken, wanted] = partition(all, isOvertaken);
  const [late, timely] = partition(wanted, ({ ageSeconds }) => ageSeconds > MAX_NOTIFICATION_AGE_SECONDS);
  const runs = [...Map.groupBy(timely, ({ team }) => team).values()].flatMap((ofTeam) => firstRun(ofTeam));
  return {
    runs,
    nothing: nothing.map(({ id }) => id),
    late: late.map(namesOf),
    overtaken: overtaken.map((one) => ({ ...namesOf(one), why: whyOvertaken(one) })),
  };
}

const isOvertaken = ({ moment, status }: Named): boolean => moment === 'waiting' && status !== 'waiting';

/** A request for an approval that nobody can give any more would only mislead. */
function whyOvertaken({ status }: Named): string {
  const isOver = status === 'failed' || status === 'cancelled' || status === 'warning';
  return `Not sent: ${isOver ? 'the build ended' : 'the build was approved'} before a Pod could send it.`;
}

type Named = DueNotifications & { notifications: string[] };

const namesOf = ({ id, notifications }: Named) => ({ id, notifications });

function firstRun(ofTeam: readonly Named[]): NotificationRun[] {
  const [first] = ofTeam;
  if (first === undefined) return [];
  const { pipelineId, revision, job } = first;
  const builds = ofTeam
    .filter((one) => one.revision === revision && one.job === job)
    .slice(0, MAX_BUILDS_OF_RUN)
    .map(namesOf);
  return [{ pipelineId, revision, job, builds }];
}

function notificationsDue({ moment, status, definition, job, ...due }: DueNotifications): string[] {
  if (moment === 'waiting') {
    const { approval } = jobIn(definition, job);
    return (approval?.notify ?? []).map(({ notification }) => notification);
  }
  const outcome = outcomeOf(status);
  if (outcome === undefined) return [];
  return automaticNotifications(definition, job)
    .filter(({ on }) => sendsFor(on, outcome, due.previousOutcome))
    .filter(({ name, type }) => !due.sent.includes(name) || setsStatus(type, definition))
    .map(({ name }) => name);
}

/**
 * The status of a commit can be set again. What the lost agent has set may be missing, or differ from how the build
 * ended.
 */
function setsStatus(name: string, { notificationTypes = [] }: Pipeline): boolean {
  const type = notificationTypes.find((one) => one.name === name);
  return type !== undefined && STATUS_TYPES.includes(builtInSource(type) ?? '');
}

const STATUS_TYPES = ['svc://commit-status', 'svc://hostcheck'];

/** Undefined: it has not ended. */
function outcomeOf(status: BuildStatus): BuildOutcome | undefined {
  if (status === 'warning') return 'failed';
  return status === 'succeeded' || status === 'failed' || status === 'cancelled' ? status : undefined;
}

function partition<T>(all: readonly T[], holds: (one: T) => boolean): [T[], T[]] {
  return [all.filter((one) => holds(one)), all.filter((one) => !holds(one))];
}
