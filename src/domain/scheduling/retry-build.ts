import { isActive, type Status } from './build-changes.ts';
import { whyQueueFull } from './queue-limits.ts';
import type { Reason } from './reasons.ts';
import { whyPaused } from './why-no-build.ts';

export interface RetryFacts {
  /** The build that somebody wants again: `7` or itself a retry, `7.1`. */
  number: string;
  status: Status;
  /** People let it through its gate: a retry of it goes without one. */
  approved: boolean;
  /** Highest k of the retries `7.k` so far; 0: none. */
  retries: number;
  /** Not all versions that it took are there any more. */
  versionGone: boolean;
  /** Builds of the pipeline that have not started. */
  queued: number;
  /** As it is now; absent: the pipeline has no such job any more. */
  job?: {
    name: string;
    paused: boolean;
    pipelinePaused: boolean;
    disableRetry?: boolean;
    interruptible?: boolean;
    approval?: boolean;
  };
}

export type RetryAnswer =
  /** With the inputs, parameters and approval of the original. */
  | { answer: 'retry'; number: string; state: 'pending' | 'waiting'; interrupts: boolean }
  | { answer: 'refused'; reasons: Reason[] };

export function decideRetry(facts: RetryFacts): RetryAnswer {
  const { job } = facts;
  const reasons = whyNot(facts);
  if (job === undefined || reasons.length > 0) return { answer: 'refused', reasons };
  const gated = job.approval === true && !facts.approved;
  return {
    answer: 'retry',
    number: `${mainNumber(facts.number)}.${facts.retries + 1}`,
    state: gated ? 'waiting' : 'pending',
    interrupts: job.interruptible ?? false,
  };
}

/** `7` of `7.2`: retries use up no numbers, and a retry of a retry is one of the original. */
export function mainNumber(number: string): string {
  return number.split('.')[0] ?? number;
}

function whyNot({ number, status, versionGone, queued, job }: RetryFacts): Reason[] {
  if (job === undefined) return [{ code: 'JobRemoved', message: 'The pipeline has no such job any more.' }];
  const reasons = whyPaused({ pipeline: job.pipelinePaused, job: job.paused, name: job.name });
  if (job.disableRetry)
    reasons.push({ code: 'RetryDisabled', message: `${job.name} has disable_retry = true.` });
  reasons.push(...whyQueueFull(queued));
  if (isActive(status))
    reasons.push({ code: 'NotEnded', message: `Build ${number} of ${job.name} has not ended.` });
  if (versionGone)
    reasons.push({
      code: 'VersionGone',
      message: `A version that build ${number} of ${job.name} took was removed by retention.`,
    });
  return reasons;
}
