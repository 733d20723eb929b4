import { defined } from '#defined';
import type { BuildState } from '#domain/build/build-state.ts';
import { decideStartTimes, type SeenStart } from '#domain/build/start-times.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { CurrentPod } from '#flows/pods/verify-pods.ts';
import type { AttemptFacts, BuildStore } from './ports.ts';

export interface RecordStartPorts {
  builds: Pick<BuildStore, 'recordStart'>;
  notifications: Pick<Notifications, 'notify'>;
  /** When this operator saw the Pod of this uid start. */
  seenStart: (podUid: string) => SeenStart;
}

interface FollowedAttempt {
  /** Undefined: the attempt is no longer current. */
  facts: AttemptFacts | undefined;
  state: BuildState | undefined;
  /** Undefined: the Pod is gone. */
  pod: CurrentPod | undefined;
  isOver: boolean;
}

/**
 * Records once when the Pod got its node and when its containers started. The times are for display only, so
 * losing them does no harm.
 */
export async function recordStart(
  { facts, state, pod, isOver }: FollowedAttempt,
  { builds, notifications, seenStart }: RecordStartPorts,
): Promise<void> {
  if (facts === undefined || state === undefined || pod === undefined) return;
  const { id: build, attempt, podName, podScheduledAt, podCreatedAt = pod.createdAt } = facts;
  const openState = facts.status === 'started' ? 'running' : 'starting';
  const times = decideStartTimes(
    {
      state: isOver ? 'over' : openState,
      isRecorded: podScheduledAt !== undefined,
      isWarm: podName !== undefined,
      podCreatedAt,
      ...defined({ firstStepAt: firstStepOf(state) }),
    },
    { ...pod, seen: seenStart(pod.uid) },
  );
  if (times === undefined) return;
  await builds.recordStart({ build, attempt }, pod.uid, times);
  // For open pages of the build. Once the build is over, they receive no more progress.
  if (!isOver) notifications.notify({ topic: 'progress', build });
}

function firstStepOf({ steps }: BuildState): Date | undefined {
  const starts = steps.flatMap(({ startedAt }) => (startedAt === undefined ? [] : [Date.parse(startedAt)]));
  return starts.length === 0 ? undefined : new Date(Math.min(...starts));
}
