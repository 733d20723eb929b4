import type { Decision } from '#domain/scheduling/decision.ts';
import type { Facts, RequestedCheck } from '#domain/scheduling/facts.ts';
import type { BuildRef, JobName } from './ports.ts';

/* What people trigger. The rules of ports.ts hold here too. */

export type TriggerAnswer =
  | { answer: 'created'; build: BuildRef; interrupted: number[]; checks?: RequestedCheck[] }
  | { answer: 'refused'; reasons: { code: string; message: string }[] }
  | { answer: 'unknown' };

/** A trigger whose checks have not ended: durable, and answered by whoever decides on the job next. */
export interface TriggerWaits {
  answer: 'checking';
  request: number;
  pipelineId: number;
}

export interface TriggerStore {
  /** A request and its decision in one transaction; the caller learns its build or the reasons. */
  trigger(job: JobName, by: string, decide: (facts: Facts) => Decision, at: Date): Promise<TriggerAnswer>;
  /** The same, once the resources that the job gets without `passed` have been checked, or so many milliseconds have passed. */
  triggerAfterChecks(
    job: JobName,
    asked: { by: string; waitMs: number },
    decide: (facts: Facts) => Decision,
    at: Date,
  ): Promise<TriggerAnswer | TriggerWaits>;
  /** What became of a trigger that waited. */
  triggerAnswer(waits: TriggerWaits): Promise<TriggerAnswer | TriggerWaits>;
  /** Waits no longer: the trigger is answered with the versions that are known. */
  endTriggerWait(waits: TriggerWaits, decide: (facts: Facts) => Decision, at: Date): Promise<TriggerAnswer>;
  /** Asks for a decision on the jobs of which a trigger has waited long enough, whoever waited for its answer. */
  wakeLateTriggers(): Promise<void>;
}
