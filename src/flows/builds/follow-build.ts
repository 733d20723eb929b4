import { applyEvents } from '#domain/build/apply-events.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { smallerLimit } from '#domain/build/log-limit.ts';
import { stateOf } from '#domain/build/stored-state.ts';
import { isActive } from '#domain/scheduling/build-changes.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { BuildTransaction } from './build-transaction.ts';
import type { AttemptRef, BuildStore } from './ports.ts';
import { recordChanges } from './record-changes.ts';

interface Ports {
  builds: Pick<BuildStore, 'withBuild'>;
  notifications: Pick<Notifications, 'notify'>;
  /** The installation's limit for the bytes of one attempt's log. Absent: `DEFAULT_LOG_BYTES`. */
  logLimitBytes?: number;
}

/**
 * Records the events that an agent reports, then notifies other processes. Returns the sequence number of the
 * last recorded event, and whether the build is cancelled. `over`: the agent has to stop.
 */
export async function followBuild(
  { build, attempt }: AttemptRef,
  events: BuildEvent[],
  { builds, notifications, logLimitBytes }: Ports,
): Promise<{ acknowledged: number; cancel: boolean } | 'over'> {
  const recorded = await builds.withBuild(
    build,
    { mayDecide: events.some(mayDecide) },
    async (tx) => await recordEvents(tx, attempt, events, logLimitBytes),
  );
  if (recorded === 'over') return recorded;
  const { acknowledged, cancel, pipelineId, news } = recorded;
  if (news !== undefined) notifyOfNews({ build, pipeline: pipelineId, news }, notifications);
  return { acknowledged, cancel };
}

function notifyOfNews(
  { build, pipeline, news }: { build: number; pipeline: number; news: News },
  notifications: Ports['notifications'],
): void {
  if (news.ended || news.madeVersion) notifications.notify({ topic: 'schedule', pipeline });
  // A version that a put made may trigger jobs of other pipelines in the team.
  if (news.madeVersion) notifications.notify({ topic: 'schedule', pipeline: 'all' });
  if (news.statusChanged) notifications.notify({ topic: 'status', pipeline });
  notifications.notify({ topic: 'progress', build });
}

/** The end of a build, or a new version from a put, requests a decision on the pipeline. */
function mayDecide(event: BuildEvent): boolean {
  return event.type === 'build-ended' || (event.type === 'step-ended' && event.version !== undefined);
}

/** The agent was stopped before it had sent the notifications of the build. */
function leavesNotifications(event: BuildEvent): boolean {
  return event.type === 'build-ended' && event.notified === false;
}

interface Recorded {
  acknowledged: number;
  cancel: boolean;
  pipelineId: number;
  /** Absent: no event was new. */
  news?: News;
}

interface News {
  statusChanged: boolean;
  ended: boolean;
  /** A put made a version. */
  madeVersion: boolean;
}

/** Records each event once, by its sequence number. */
async function recordEvents(
  tx: BuildTransaction,
  attempt: number,
  events: BuildEvent[],
  logLimitBytes: number | undefined,
): Promise<Recorded | 'over'> {
  const stored = await tx.attempt(attempt);
  if (stored === undefined || !stored.current) return 'over';
  // The build waits for approval or for its turn, so it has no agent yet.
  if (!stored.ended && !stored.hadTurn) return 'over';
  const { cancel, pipelineId } = stored;
  const state = stateOf(stored.state);
  const newEvents = events.filter((event) => event.sequence > state.applied);
  if (newEvents.length === 0) return { acknowledged: state.applied, cancel, pipelineId };
  if (stored.ended) return 'over';
  const applied = applyEvents(state, newEvents, smallerLimit(logLimitBytes, stored.logLimitBytes));
  await recordChanges(tx, stored, applied, { byAgent: !newEvents.some(leavesNotifications) });
  const { status } = applied.state;
  const news = {
    statusChanged: status !== state.status,
    ended: !isActive(status),
    madeVersion: applied.puts.length > 0,
  };
  return { acknowledged: applied.state.applied, cancel, pipelineId, news };
}
