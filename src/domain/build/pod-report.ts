import type { BuildOutcome, OutcomeReason } from './events.ts';

/** What the API server reports about a build's Pod. */
export interface PodReport {
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  deleting: boolean;
  /**
   * The reason of the Pod, not of a container: `Evicted`, `DeadlineExceeded`, `UnexpectedAdmissionError` …
   */
  reason?: string;
  message?: string;
  /** Reason of the Pod's condition DisruptionTarget: `EvictionByEvictionAPI`, `PreemptionByScheduler` … */
  disruption?: string;
  scheduled: boolean;
  /** The Pod mounts the volume of a cache. */
  hasCache?: boolean;
  /**
   * The volumes of the Pod are mounted, and its network is set up. Absent: the kubelet does not report this.
   */
  sandboxReady?: boolean;
  /**
   * The scheduler's message if no node fits. Absent: the Pod has a node, or the scheduler has not looked for
   * one.
   */
  unschedulable?: string;
  /** The containers of the Pod. The first one is the agent. */
  containers: ContainerReport[];
}

export interface ContainerReport {
  name: string;
  state: 'waiting' | 'running' | 'terminated';
  reason?: string;
  /**
   * While the container waits: the kubelet's explanation. After the container has ended: its termination
   * message.
   */
  message?: string;
  exitCode?: number;
}

/** What is known about the attempt of a build besides the report about its Pod. */
export interface AttemptReport {
  /** Number of the attempt, from 1. */
  attempt: number;
  /** Number of earlier attempts of this build that had run steps. */
  retries: number;
  /**
   * The build was cancelled, by a person or by Millrace itself. `seconds`: how long ago. `graceSeconds`: how
   * long its agent may take to end it. `reason`: a sentence to show.
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
  /**
   * Seconds since the grace period of a deleted Pod ended. Negative during the grace period. Absent: the Pod
   * was not deleted.
   */
  overdueSeconds?: number;
}

/**
 * What to do about a build whose Pod may have ended. `reason` and `message` say why, as a code and a
 * sentence.
 */
export type PodJudgement =
  /**
   * Do nothing: the Pod still runs or starts, or the build has ended. A reason says why the Pod has not
   * started yet.
   */
  | { decision: 'wait'; reason?: OutcomeReason; message?: string }
  | { decision: 'end'; outcome: BuildOutcome; reason: OutcomeReason; message: string }
  /** The agent has not ended the cancelled build in time. Delete the Pod; once it is gone, the build ends. */
  | { decision: 'stop'; reason: OutcomeReason; message: string }
  /** No step had started: create another Pod for the same build. People do not see this as a retry. */
  | { decision: 'recreate'; reason: OutcomeReason; message: string }
  /** Steps had run, but no put had started: repeat the whole build. People see this as a retry. */
  | { decision: 'retry'; reason: OutcomeReason; message: string };
