import type { BuildOutcome, OutcomeReason } from './events.ts';

/** What the API server tells of a build's Pod. */
export interface PodReport {
  phase: 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';
  deleting: boolean;
  /** Of the Pod as a whole: `Evicted`, `DeadlineExceeded`, `NodeLost`, `UnexpectedAdmissionError` … */
  reason?: string;
  message?: string;
  /** Reason of its condition DisruptionTarget: `EvictionByEvictionAPI`, `PreemptionByScheduler` … */
  disruption?: string;
  scheduled: boolean;
  /** The scheduler's word while no node is found. */
  unschedulable?: string;
  /** The first is the agent. */
  containers: ContainerReport[];
}

export interface ContainerReport {
  name: string;
  state: 'waiting' | 'running' | 'terminated';
  reason?: string;
  /** While waiting the kubelet's explanation; of the terminated agent its last words. */
  message?: string;
  exitCode?: number;
}

/** What is known of the attempt beside its events and its Pod. */
export interface AttemptReport {
  attempt: number;
  /** Earlier attempts of this build that had run steps. */
  retries: number;
  /**
   * Somebody asked it to stop: how long ago, how long its agent may take for that, and how the asking is
   * told.
   */
  cancelled?: { seconds: number; graceSeconds: number; reason?: string };
  /** The job forbids to repeat a build whose steps have run. */
  disableRetry?: boolean;
  /** Since the Pod was created. */
  ageSeconds: number;
  /** Since the Pod got its node, where that is known. */
  scheduledSeconds?: number;
  /** Since a deleted Pod should have been gone; negative while it is given time to end. */
  overdueSeconds?: number;
}

/** What to do about a build whose Pod may have ended, and why: a machine word and a sentence. */
export type PodJudgement =
  /** The Pod lives, or the build is over. A reason says why it is not running yet. */
  | { decision: 'wait'; reason?: OutcomeReason; message?: string }
  | { decision: 'end'; outcome: BuildOutcome; reason: OutcomeReason; message: string }
  /** Its agent does not end it: the Pod is to go, and the build ends with it. */
  | { decision: 'stop'; reason: OutcomeReason; message: string }
  /** No step had begun: another Pod, and nobody need know. */
  | { decision: 'recreate'; reason: OutcomeReason; message: string }
  /** Steps had run, no put had begun: the whole build once more, visibly. */
  | { decision: 'retry'; reason: OutcomeReason; message: string };
