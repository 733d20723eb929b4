/** The times that are recorded about the start of an attempt's Pod. */
export interface StartTimes {
  /** When the Pod got its node. */
  scheduledAt: Date;
  /** When the last of the Pod's containers started. Absent: at least one container never started. */
  containersStartedAt?: Date;
}

/**
 * When the operator saw these changes. A time is absent if the operator did not watch the Pod when it
 * changed.
 */
export interface SeenStart {
  scheduledAt?: Date;
  containersStartedAt?: Date;
}

export interface StartingAttempt {
  /** `running`: a step has started. `over`: the attempt has ended or is about to. */
  state: 'starting' | 'running' | 'over';
  /** The start times of the attempt are recorded already. */
  isRecorded: boolean;
  /** The Pod was warm: it had its node and its images before the build took it. */
  isWarm: boolean;
  podCreatedAt: Date;
  firstStepAt?: Date;
}

/**
 * The start of the attempt's Pod: `seen` by the operator, all else as the API server reports it, in whole
 * seconds.
 */
export interface StartedPod {
  scheduledAt?: Date;
  containers: readonly { startedAt?: Date }[];
  seen: SeenStart;
}

/**
 * Decides what to record now about the start of an attempt's Pod. Undefined: nothing, or nothing yet. The
 * times are recorded once, and only after a step has started or the attempt is over, so that the write does
 * not delay the start of the build. They are in order even if the clocks of the cluster differ.
 *
 * The kubelet's events `Pulling` and `Pulled` would show the time of pulling images more exactly. They are
 * not used, because a watch gets the events of every object in the namespace, and because the kubelet may
 * drop or merge events.
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

/** When the last container started. Undefined: a container has not started, or there are no containers. */
function lastStartOf(containers: StartedPod['containers']): Date | undefined {
  let last: Date | undefined;
  for (const { startedAt } of containers) {
    if (startedAt === undefined) return undefined;
    last = last === undefined ? startedAt : latest(last, startedAt);
  }
  return last;
}

/**
 * The more exact time of a change. `reported`: the whole second that the API server reports. `seen`: when the
 * operator saw the change. `seen` is more exact, unless the operator saw the change too late: after the
 * reported second, or after the first step. `seen` before `reported` counts too, because then the clock that
 * `reported` comes from is ahead.
 */
function moreExactTime(reported: Date, seen: Date | undefined, firstStepAt: Date | undefined): Date {
  if (seen === undefined || seen.getTime() - reported.getTime() >= 1000) return reported;
  return firstStepAt !== undefined && seen > firstStepAt ? reported : seen;
}

function latest(one: Date, other: Date): Date {
  return one > other ? one : other;
}
