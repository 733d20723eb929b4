import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import type { BuildOutcome, OutcomeReason, StepStatus } from '#domain/build/events.ts';
import type { Masker } from '#domain/build/mask-secrets.ts';
import type { Plan } from '#domain/planning/plan.ts';
import type { FetchIdentity } from './identity-tokens.ts';
import type { Lanes } from './lanes.ts';
import type { LogDigest } from './log-digest.ts';
import type { Outbox } from './outbox.ts';
import type { RunningCommands } from './running-commands.ts';
import type { RunningService } from './running-service.ts';
import type { Secrets } from './secrets.ts';
import type { LogBudget } from './step-log.ts';
import type { Stop, StopReason } from './stop.ts';
import type { StepEnd } from './termination.ts';

/** What all parts of a build share. */
export interface BuildContext {
  plan: Plan;
  shims: Map<string, ShimConnection>;
  lanes: Lanes;
  /** The commands of the steps that run. People may open shells beside them. */
  commands: RunningCommands;
  outbox: Outbox;
  masker: Masker;
  secrets: Secrets;
  budget: LogBudget;
  digest: LogDigest;
  /** Stops hooks, notifications and services, which continue after the steps of the plan are stopped. */
  hooksStop: Stop;
  /** Services whose start has begun and that are not stopped yet, in the order of their starts. */
  services: RunningService[];
  /**
   * Called for each end of a step, group, branch or service command, after its `step-ended` event is in the
   * outbox. Not called for steps and groups that are skipped, but called for each branch that the build
   * reaches and does not take.
   */
  onStepEnded: (end: StepEnd) => void;
  fetchIdentity: FetchIdentity;
  /** What people should know about the build: the first line in the log of its first step. */
  notice: string | undefined;
  /** The variables that tasks in hooks exported. Later hooks see them. */
  hookExports: Record<string, string>;
}

/** Why a build, or a part of it, ended as it did. */
export interface Cause {
  outcome: BuildOutcome;
  reason: OutcomeReason;
  message: string;
  /**
   * False: something outside the build, or a fault of the agent, interrupted it. The agent then reports no
   * end of the build, and the operator judges the end of the Pod.
   */
  known: boolean;
  /** True: the step, group, service, hooks or job ran out of time. */
  timedOut?: boolean;
}

/** How a step, group, or list of steps ended. */
export interface NodeEnd {
  status: StepStatus;
  /** Variables for later steps. */
  exports: Record<string, string>;
  /** Why the build ends with this step, group, or list. Absent: the build continues. */
  cause?: Cause;
}

const MAX_MESSAGE_CHARACTERS = 1000;

export function maskMessage(masker: Masker, message: string): string {
  return masker.mask(message).slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed();
}

/** What a step that was stopped reports, by the reason of the stop. */
export const STOPPED: Record<StopReason, string> = {
  cancelled: 'cancelled',
  'fail-fast': 'cancelled: another step of the group failed',
  'step-timeout': 'timed out',
  'group-timeout': 'its group ran out of time',
  'job-timeout': 'the job ran out of time',
  'cleanup-timeout': 'the hooks of a cancelled build ran out of time',
  terminated: 'the Pod was terminated',
  refused: 'the gateway refused the events of this agent',
  'session-over': 'another attempt took the place of this one',
};

const TIMEOUTS: ReadonlySet<StopReason> = new Set([
  'step-timeout',
  'group-timeout',
  'job-timeout',
  'cleanup-timeout',
]);

export const isTimeout = (reason: StopReason): boolean => TIMEOUTS.has(reason);

/** Why a stopped build ends. `jobSeconds` is the time limit of the job. */
export function causeOfStop(reason: StopReason, jobSeconds: number): Cause {
  const failed = { outcome: 'failed', known: false } as const;
  switch (reason) {
    case 'cancelled':
    case 'fail-fast':
      return { outcome: 'cancelled', reason: 'Cancelled', message: 'The build was cancelled.', known: true };
    case 'job-timeout': {
      const message = `The job ran longer than its ${jobSeconds} s.`;
      return { ...failed, known: true, reason: 'JobTimeout', message, timedOut: true };
    }
    case 'step-timeout':
    case 'group-timeout':
    case 'cleanup-timeout':
      return { ...failed, known: true, reason: 'StepTimeout', message: 'A step timed out.', timedOut: true };
    case 'terminated':
      return { ...failed, reason: 'PodLost', message: 'The Pod was terminated before the build was done.' };
    case 'refused': {
      const message = 'The gateway refused the events of this agent.';
      return { ...failed, reason: 'AgentFault', message };
    }
    case 'session-over': {
      const message = 'The gateway ended this session: another attempt took its place.';
      return { ...failed, reason: 'AgentAuthentication', message };
    }
    default:
      throw new Error(`an unknown reason to stop: ${String(reason)}`);
  }
}
