import type { BuildOutcome, OutcomeReason } from './events.ts';

/** What the API server reports of a build's Pod. */
export interface PodReport {
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  deleting: boolean;
  /** The Pod's own reason, not a container's: `Evicted`, `DeadlineExceeded`, `UnexpectedAdmissionError` … */
  reason?: string;
  message?: string;
  /** Reason of its condition DisruptionTarget: `EvictionByEvictionAPI`, `PreemptionByScheduler` … */
  disruption?: string;
  scheduled: boolean;
  /** The Pod mounts the cache of a resource. */
  hasCache?: boolean;
  /**
   * The volumes of the Pod are mounted, and its network is set up. Absent: the kubelet does not report this.
   */
  sandboxReady?: boolean;
  /** The scheduler's message while no node fits. */
  unschedulable?: string;
  /** The first is the agent. */
  containers: ContainerReport[];
}

export interface ContainerReport {
  name: string;
  state: 'waiting' | 'running' | 'terminated';
  reason?: string;
  /** The kubelet's explanation while waiting; the termination message of the agent. */
  message?: string;
  exitCode?: number;
}

/** What is known of the attempt of a build besides its Pod. */
export interface AttemptReport {
  attempt: number;
  /** Earlier attempts of this build that had run steps. */
  retries: number;
  /**
   * A person cancelled the build: how long ago, how long its agent may take to end it, and the reason to
   * show.
   */
  cancelled?: { seconds: number; graceSeconds: number; reason?: string };
  /** The job does not allow repeating a build whose steps have run. */
  disableRetry?: boolean;
  /** Seconds since the Pod was created. */
  ageSeconds: number;
  /** Seconds since the Pod got its node, if known. */
  scheduledSeconds?: number;
  /** Seconds since the container of the agent ended, if known. */
  agentEndedSeconds?: number;
  /** Seconds since a deleted Pod should have been gone. Negative during its grace period. */
  overdueSeconds?: number;
}

/** What to do about a build whose Pod may have ended, and why: a code and a sentence. */
export type PodJudgement =
  /** The Pod lives, or the build has ended. A reason says why the Pod is not running yet. */
  | { decision: 'wait'; reason?: OutcomeReason; message?: string }
  | { decision: 'end'; outcome: BuildOutcome; reason: OutcomeReason; message: string }
  /** The agent has not ended the cancelled build in time. Delete the Pod: its end ends the build. */
  | { decision: 'stop'; reason: OutcomeReason; message: string }
  /** No step had started: create another Pod for the same build, silently. */
  | { decision: 'recreate'; reason: OutcomeReason; message: string }
  /** Steps had run, but no put had started: repeat the whole build as a visible retry. */
  | { decision: 'retry'; reason: OutcomeReason; message: string };
