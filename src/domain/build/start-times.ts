/** What is recorded about the start of an attempt's Pod. */
export interface StartTimes {
  /** When the Pod got its node. */
  scheduledAt: Date;
  /** When the last of its containers started. Absent: one never did. */
  containersStartedAt?: Date;
}

/** When the operator saw these changes. Absent: it did not watch at that time. */
export interface SeenStart {
  scheduledAt?: Date;
  containersStartedAt?: Date;
}

export interface StartingAttempt {
  /** `running`: a step has started. `over`: the attempt has ended or is about to. */
  state: 'starting' | 'running' | 'over';
  isRecorded: boolean;
  /** A warm Pod had its node and its images before its build took it. */
  isWarm: boolean;
  podCreatedAt: Date;
  firstStepAt?: Date;
}

/** The status of its Pod. The API server has whole seconds. */
export interface StartedPod {
  scheduledAt?: Date;
  containers: readonly { startedAt?: Date }[];
  seen: SeenStart;
}

/**
 * What to record now about the start of an attempt's Pod. Undefined: nothing, or nothing yet. Both times are
 * recorded at once, and only after a step has started: the start of a build must not wait for this write.
 * They never precede each other or the creation of the Pod, whatever the clocks of the cluster say.
 *
 * The events `Pulling` and `Pulled` of the kubelet would be more exact than the start of the containers. But
 * a watch of events gets those of every object in the namespace, several for each Pod, and the kubelet may
 * drop or merge them.
 */
export function decideStartTimes(attempt: StartingAttempt, pod: StartedPod): StartTimes | undefined {
  const { state, isRecorded, isWarm, podCreatedAt, firstStepAt } = attempt;
  if (isRecorded || isWarm || state === 'starting' || pod.scheduledAt === undefined) return undefined;
  const lastStart = lastStartOf(pod.containers);
  if (lastStart === undefined && state !== 'over') return undefined;
  const { seen } = pod;
  const scheduledAt = latest(podCreatedAt, moreExact(pod.scheduledAt, seen.scheduledAt, firstStepAt));
  if (lastStart === undefined) return { scheduledAt };
  const started = moreExact(lastStart, seen.containersStartedAt, firstStepAt);
  return { scheduledAt, containersStartedAt: latest(scheduledAt, started) };
}

/** Undefined if a container has not started, or the kubelet does not tell. */
function lastStartOf(containers: StartedPod['containers']): Date | undefined {
  let last: Date | undefined;
  for (const { startedAt } of containers) {
    if (startedAt === undefined) return undefined;
    last = last === undefined ? startedAt : latest(last, startedAt);
  }
  return last;
}

/**
 * What was seen within the reported second is more exact than the second. What was seen later, or after the
 * first step, was seen late. What was seen earlier was reported by a clock that is ahead.
 */
function moreExact(reported: Date, seen: Date | undefined, firstStepAt: Date | undefined): Date {
  if (seen === undefined || seen.getTime() - reported.getTime() >= 1000) return reported;
  return firstStepAt !== undefined && seen > firstStepAt ? reported : seen;
}

function latest(one: Date, other: Date): Date {
  return one > other ? one : other;
}
