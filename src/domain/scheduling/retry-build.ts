import { isActive, type BuildStatus } from './build-changes.ts';
import { interruptedByRetry, type RetryInterrupts } from './interrupt-older.ts';
import { whyQueueFull } from './queue-limits.ts';
import { JOB_REMOVED, type Reason } from './reasons.ts';
import { whyPaused } from './why-no-build.ts';

export interface RetryFacts {
  /** Number of the build to retry: `7`, or `7.1` if it is a retry itself. */
  number: string;
  status: BuildStatus;
  /** People approved the build, so a retry of it needs no approval. */
  approved: boolean;
  /** The highest k of the retries `7.k` so far. 0: none. */
  retries: number;
  /**
   * A forge requests the retry, for a person whom Millrace does not know. Such a request is more restricted
   * than that of a member: it must name the newest retry of a build (or the build itself if it has none), the
   * job must need no approval, and the retry must not end another build.
   */
  byWebhook?: boolean;
  /** Retention removed a version that the build took. */
  versionGone: boolean;
  /** Builds of the pipeline that have not started, counted up to `MAX_QUEUED_BUILDS`. */
  queued: number;
  /** The current job. Absent: the pipeline no longer has it. */
  job?: {
    name: string;
    paused: boolean;
    pipelinePaused: boolean;
    disableRetry?: boolean;
    approval?: boolean;
    /** Present if the job is interruptible. */
    interruptible?: RetryInterrupts;
  };
}

export type RetryAnswer =
  /**
   * The retry has the versions and input values of the original. `pending`: the retry needs no approval, or
   * people approved the original. `waiting`: the retry waits for the approval that its job needs now.
   */
  | {
      answer: 'retry';
      number: string;
      state: 'pending' | 'waiting';
      /** Row ids of older builds of the same pull request or branch. */
      interrupts: number[];
    }
  | { answer: 'refused'; reasons: Reason[] };

export function decideRetry(facts: RetryFacts): RetryAnswer {
  const { job } = facts;
  const interrupts = job?.interruptible === undefined ? [] : interruptedByRetry(job.interruptible);
  const reasons = [...whyNotRetried(facts), ...whyNotByWebhook(facts, interrupts)];
  if (job === undefined || reasons.length > 0) return { answer: 'refused', reasons };
  const needsApproval = job.approval === true && !facts.approved;
  return {
    answer: 'retry',
    number: `${originalNumber(facts.number)}.${facts.retries + 1}`,
    state: needsApproval ? 'waiting' : 'pending',
    interrupts,
  };
}

/**
 * The number of the original build: `7` for `7.2`. A retry of 7.2 is also a retry of 7, so it gets the next
 * free `7.k`.
 */
export function originalNumber(number: string): string {
  return number.split('.')[0] ?? number;
}

/** The number k in `7.k`. 0: the build is not a retry. */
function retryIndex(number: string): number {
  return Number(number.split('.')[1] ?? '0');
}

function whyNotRetried(facts: RetryFacts): Reason[] {
  const { number, status, versionGone, queued, job } = facts;
  if (job === undefined) return [JOB_REMOVED];
  const reasons = whyPaused({ pipeline: job.pipelinePaused, job: job.paused, name: job.name });
  if (job.disableRetry)
    reasons.push({
      code: 'RetryDisabled',
      message: `${job.name} has disable_retry = true. Trigger the job instead.`,
    });
  reasons.push(...whyQueueFull(queued));
  if (isActive(status))
    reasons.push({
      code: 'NotEnded',
      message: `Build ${number} of ${job.name} has not ended. Wait until it ends, or cancel it.`,
    });
  if (versionGone)
    reasons.push({
      code: 'VersionGone',
      message: `Retention removed a version that build ${number} of ${job.name} used. Trigger the job instead.`,
    });
  return reasons;
}

function whyNotByWebhook(
  { byWebhook, job, number, retries }: RetryFacts,
  interrupts: readonly number[],
): Reason[] {
  if (byWebhook !== true || job === undefined) return [];
  const reasons: Reason[] = [];
  if (retries > retryIndex(number))
    reasons.push({
      code: 'RetriedAlready',
      message: `Build ${number} of ${job.name} has a newer retry, ${originalNumber(number)}.${retries}.`,
    });
  if (job.approval)
    reasons.push({
      code: 'RetryByMember',
      message: `Builds of ${job.name} need approval. Retry it in Millrace.`,
    });
  if (interrupts.length > 0)
    reasons.push({
      code: 'WouldInterrupt',
      message: `This retry would end another build of ${job.name}. Retry it in Millrace.`,
    });
  return reasons;
}
