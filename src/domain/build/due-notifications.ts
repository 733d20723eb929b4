import { builtInSource } from '#domain/pipeline/built-in-source.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { automaticNotifications, jobIn } from '#domain/planning/find-in-pipeline.ts';
import type { PreviousOutcome } from '#domain/planning/plan.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { BuildOutcome } from './events.ts';
import { sendsFor } from './notification-events.ts';

/**
 * A build whose notifications the operator has to send: it began to wait for approval, or it ended without
 * its agent.
 */
export interface DueNotifications {
  /** Row id of the record that the notifications of the build are due. */
  id: number;
  moment: 'waiting' | 'ended';
  team: string;
  pipelineId: number;
  /** Row id of the build's revision. */
  revision: number;
  job: string;
  status: BuildStatus;
  previousOutcome?: PreviousOutcome;
  /**
   * Names of the notifications that the agent began to send before it was lost. Of these, only notifications
   * that set the status of a commit are sent again.
   */
  sent: string[];
  ageSeconds: number;
  definition: Pipeline;
}

/** Notifications that one Pod sends, for builds of one job and revision. `notifications`: their names. */
export interface NotificationRun {
  pipelineId: number;
  revision: number;
  job: string;
  builds: { id: number; notifications: string[] }[];
}

export interface NotificationDecision {
  /** At most one run for each team. */
  runs: NotificationRun[];
  /** Ids of the records whose builds have no notification to send. */
  silent: number[];
  /** Notifications that are dropped, because they are older than `MAX_NOTIFICATION_AGE_SECONDS`. */
  late: NotificationRun['builds'];
  /** Requests for approval that are dropped, because the build does not wait any more. `why`: a sentence. */
  outdated: (NotificationRun['builds'][number] & { why: string })[];
}

/** Maximum number of builds whose notifications one Pod sends. */
export const MAX_BUILDS_OF_RUN = 10;
export const MAX_NOTIFICATION_AGE_SECONDS = 60 * 60;

/**
 * Decides which notifications are sent now. `due`: oldest first. Builds of the same job and revision share a
 * run.
 */
export function decideNotificationRuns(due: readonly DueNotifications[]): NotificationDecision {
  const builds = due.map((build) => ({ ...build, notifications: notificationsDue(build) }));
  const [sendingBuilds, silent] = partition(builds, ({ notifications }) => notifications.length > 0);
  const [outdated, current] = partition(sendingBuilds, isOutdated);
  const [late, timely] = partition(current, ({ ageSeconds }) => ageSeconds > MAX_NOTIFICATION_AGE_SECONDS);
  const runs = [...Map.groupBy(timely, ({ team }) => team).values()].flatMap((buildsOfTeam) =>
    firstRun(buildsOfTeam),
  );
  return {
    runs,
    silent: silent.map(({ id }) => id),
    late: late.map(idAndNotifications),
    outdated: outdated.map((build) => ({ ...idAndNotifications(build), why: whyOutdated(build) })),
  };
}

const isOutdated = ({ moment, status }: BuildWithNotifications): boolean =>
  moment === 'waiting' && status !== 'waiting';

/**
 * Why a request for approval is not sent: it would mislead people, because the build does not wait any more.
 */
function whyOutdated({ status }: BuildWithNotifications): string {
  const isOver = status === 'failed' || status === 'cancelled' || status === 'warning';
  return `Not sent: ${isOver ? 'the build ended' : 'the build was approved'} before a Pod could send it.`;
}

type BuildWithNotifications = DueNotifications & { notifications: string[] };

const idAndNotifications = ({ id, notifications }: BuildWithNotifications) => ({ id, notifications });

/** The run for the oldest build of a team, and for the builds that share a run with it. */
function firstRun(buildsOfTeam: readonly BuildWithNotifications[]): NotificationRun[] {
  const [first] = buildsOfTeam;
  if (first === undefined) return [];
  const { pipelineId, revision, job } = first;
  const builds = buildsOfTeam
    .filter((build) => build.revision === revision && build.job === job)
    .slice(0, MAX_BUILDS_OF_RUN)
    .map(idAndNotifications);
  return [{ pipelineId, revision, job, builds }];
}

/** Names of the notifications that the build has to send. */
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
 * Whether notifications of this type set the status of a commit. Such a notification is sent again, because
 * the lost agent may have set no status, or one that differs from the outcome of the build.
 */
function setsStatus(typeName: string, { notificationTypes = [] }: Pipeline): boolean {
  const type = notificationTypes.find((candidate) => candidate.name === typeName);
  return type !== undefined && STATUS_SOURCES.includes(builtInSource(type) ?? '');
}

const STATUS_SOURCES = ['svc://commit-status', 'svc://hostcheck'];

/** The outcome of a build. A warning counts as failed. Undefined: the build has not ended. */
function outcomeOf(status: BuildStatus): BuildOutcome | undefined {
  if (status === 'warning') return 'failed';
  return status === 'succeeded' || status === 'failed' || status === 'cancelled' ? status : undefined;
}

function partition<T>(items: readonly T[], matches: (item: T) => boolean): [T[], T[]] {
  return [items.filter((item) => matches(item)), items.filter((item) => !matches(item))];
}
