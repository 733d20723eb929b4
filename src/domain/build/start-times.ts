/** What is recorded about the start of an attempt's Pod. */
export interface StartTimes {
  /** When the Pod got its node. */
  scheduledAt: Date;
  /** When the last of its containers started. Absent: one never did. */
  containersStartedAt?: Date;
}

/** When the operator saw these changes. Absent: the operator did not watch the Pod at that time. */
export interface SeenStart {
  scheduledAt?: Date;
  containersStartedAt?: Date;
}

export interface StartingAttempt {
  /** `running`: a step has started. `over`: the attempt has ended or is about to. */
  state: 'starting' | 'running' | 'over';
  /** The start times of the attempt are recorded already. */
  isRecorded: boolean;
  /** A warm Pod had its node and its images before its build took it. */
  isWarm: boolean;
  podCreatedAt: Date;
  firstStepAt?: Date;
}

/** The status of the attempt's Pod. The API server reports times in whole seconds. */
export interface StartedPod {
  scheduledAt?: Date;
  containers: readonly { startedAt?: Date }[];
  seen: SeenStart;
}

/**
 * What to record now about the start of an attempt's Pod. Undefined: nothing, or nothing yet. The record is
 * written once, and only after a step has started, so that the write does not delay the start of the build.
 * The recorded times are in order even if clocks of the cluster differ.
 *
 * The kubelet's events `Pulling` and `Pulled` would be more exact than the start of the containers. But a
 * watch gets the events of every object in the namespace, and the kubelet may drop or merge them.
 */
export function decideStartTimes(attempt: StartingAttempt, pod: StartedPod): StartTimes | undefined {
  const { state, isRecorded, isWarm, podCreatedAt, firstStepAt } = attempt;
  if (isRecorded || isWarm || state === 'starting' || pod.scheduledAt === undefined) return undefined;
  const lastStart = lastStartOf(pod.containers);
  if (lastStart === undefined && state !== 'over') return undefined;
  const { seen } = pod;
  const scheduledAt = latest(podCreatedAt, moreExactTime(pod.scheduledAt, seen.scheduledAt, firstStepAt));
  if (lastStart === undefined) return { scheduledAt };
  const started = moreExactTime(lastStart, seen.containersStartedAt, firstStepAt);
  return { scheduledAt, containersStartedAt: latest(scheduledAt, started) };
}

/** When the last container started. Undefined: a container has not started, or the kubelet reports none. */
function lastStartOf(containers: StartedPod['containers']): Date | undefined {
  let last: Date | undefined;
  for (const { startedAt } of containers) {
    if (startedAt === undefined) return undefined;
    last = last === undefined ? startedAt : latest(last, startedAt);
  }
  return last;
}

/**
 * The more exact time of a change: the whole second that the API server reports, or the time at which the
 * operator saw the change. The operator saw it too late if it saw it after that second, or after the first
 * step. If the operator saw it before that second, the clock behind the reported time is ahead.
 */
function moreExactTime(reported: Date, seen: Date | undefined, firstStepAt: Date | undefined): Date {
  if (seen === undefined || seen.getTime() - reported.getTime() >= 1000) return reported;
  return firstStepAt !== undefined && seen > firstStepAt ? reported : seen;
}

function latest(one: Date, other: Date): Date {
  return one > other ? one : other;
}
