import type { PipelineStatus } from '#adapters/kubernetes/informers/projections.ts';
import { observedRequestedAt } from '#adapters/kubernetes/kinds/observed-requested-at.ts';
import { defined } from '#defined';
import { ROUTINE_REASONS } from '#domain/scheduling/reasons.ts';
import type { PipelineFacts, WaitReason } from '#flows/pipelines/ports.ts';
import { conditionsOf } from './conditions.ts';
import { lastBuildOf } from './last-build.ts';
import { pipelineConditions, type PipelineConditionInput } from './pipeline-conditions.ts';
import { boundedList, MAX_MESSAGE_CHARACTERS } from './status-limits.ts';

const MAX_FAILING = 20;
const MAX_WAITING = 20;

export interface StatusInput extends PipelineConditionInput {
  generation: number;
  /** The value of the annotation that requests the operator to fetch the sources again. */
  requestedAt?: string | undefined;
  now: Date;
}

/**
 * The whole status. If only `now` differs, the status is equal, so that nothing is written when nothing
 * changed.
 */
export function pipelineStatus(input: StatusInput): PipelineStatus {
  const { verdict, facts, before, generation, requestedAt, now, fault } = input;
  return defined({
    ...(facts === undefined ? before : factFields(facts)),
    observedGeneration: generation,
    // After a fault, there is no verdict on the newest request, so that request is not observed yet.
    observedRequestedAt: fault === undefined ? observedRequestedAt(requestedAt) : before?.observedRequestedAt,
    lastPlan: verdict.lastPlan,
    conditions: conditionsOf(pipelineConditions(input), before?.conditions, generation, now),
  });
}

function factFields(facts: PipelineFacts): Partial<PipelineStatus> {
  const last = lastBuildOf(facts);
  return defined({
    revision: facts.revision,
    paused: facts.paused,
    jobCount: facts.jobs.length,
    resourceCount: facts.resources.length,
    lastBuild: last && `${last.job.slice(0, 200)} #${last.number} ${last.status}`,
    jobs: boundedList(facts.jobs)?.map(({ name, paused: isPaused, lastBuild }) => ({
      name,
      ...(isPaused ? { paused: true } : {}),
      ...(lastBuild === undefined
        ? {}
        : {
            lastBuild: defined({
              number: lastBuild.number,
              status: lastBuild.status,
              endedAt: lastBuild.endedAt?.toISOString().replace(/\.\d+Z$/, 'Z'),
            }),
          }),
    })),
    waiting: boundedList((facts.waiting ?? []).flatMap(waitingEntry), MAX_WAITING),
    failingChecks: boundedList(facts.resources.flatMap(failingCheck), MAX_FAILING),
  });
}

function waitingEntry({ job, number, reason }: WaitReason): NonNullable<PipelineStatus['waiting']> {
  if (ROUTINE_REASONS.has(reason.code)) return [];
  const message = reason.message.slice(0, MAX_MESSAGE_CHARACTERS);
  return [{ job, ...defined({ build: number }), reason: reason.code, message }];
}

function failingCheck({
  name,
  checkError,
}: PipelineFacts['resources'][number]): { resource: string; message: string }[] {
  if (checkError === undefined) return [];
  return [{ resource: name, message: checkError.slice(0, MAX_MESSAGE_CHARACTERS) }];
}
