import { cancelledByDisable, cancelledByPin } from '#domain/scheduling/build-changes.ts';
import { cascadeJobs } from '#domain/scheduling/cascade.ts';
import { isAutomatic } from '#domain/scheduling/decision.ts';
import type { BuildRequest, ResourceVersion } from '#domain/scheduling/facts.ts';
import type { RetryInterrupts } from '#domain/scheduling/interrupt-older.ts';
import { decideRetry, originalNumber } from '#domain/scheduling/retry-build.ts';
import { nextBuild } from './decide-in-memory.ts';
import {
  countAfterUnpin,
  countFromNow,
  jobOf,
  resourceOf,
  unsettle,
  type History,
  type HistoryBuild,
  type HistoryJob,
} from './history.ts';
import { interruptFactsOf } from './version-label.ts';

export function disable(history: History, resourceVersion: ResourceVersion, disabled: boolean): void {
  const { versions } = resourceOf(history, resourceVersion.resource);
  for (const version of versions) if (version.id === resourceVersion.version) version.disabled = disabled;
  if (!disabled) for (const job of history.jobs) unsettle(job, [resourceVersion]);
  else cancelAndRelease(history, cancelledByDisable(resourceVersion, endableBuilds(history)));
}

export function pin(history: History, resource: { id: number; pinned?: number }, version: number): void {
  resource.pinned = version;
  cancelAndRelease(history, cancelledByPin({ resource: resource.id, version }, endableBuilds(history)));
}

function endableBuilds({ builds }: History): Parameters<typeof cancelledByDisable>[1] {
  return builds.map(({ id, status, cause, inputs }) => ({
    id,
    status,
    automatic: isAutomatic(cause.kind),
    inputs,
  }));
}

function cancelAndRelease(history: History, ended: readonly number[]): void {
  for (const build of history.builds.filter(({ id }) => ended.includes(id))) {
    build.status = 'cancelled';
    build.usedNothing = true;
    unsettle(jobOf(history, build.job), build.inputs);
  }
}

export function unpin(history: History, resource: { id: number; pinned?: number }): void {
  if (resource.pinned === undefined) return;
  delete resource.pinned;
  countAfterUnpin(history, resource.id);
}

export function pauseJob(history: History, job: HistoryJob | undefined, paused: boolean): void {
  if (job === undefined) return;
  if (job.paused && !paused) countFromNow(history, job);
  job.paused = paused;
}

export function pausePipeline(history: History, paused: boolean): void {
  history.paused = paused;
  for (const job of history.jobs) pauseJob(history, job, paused);
}

export function retryBuild(
  history: History,
  original: HistoryBuild,
  by: string,
): ReturnType<typeof decideRetry> {
  const job = jobOf(history, original.job);
  const firstNumber = originalNumber(original.number);
  const retries = history.builds.filter(
    (build) =>
      build.job === job.id && originalNumber(build.number) === firstNumber && build.number !== firstNumber,
  );
  const answer = decideRetry({
    number: original.number,
    status: original.status,
    approved: original.approved,
    retries: Math.max(0, ...retries.map(({ number }) => Number(number.split('.')[1]))),
    versionGone: false,
    queued: 0,
    job: {
      name: job.name,
      paused: job.paused,
      pipelinePaused: history.paused,
      disableRetry: job.disableRetry,
      approval: job.gate !== undefined,
      ...(job.interruptible && { interruptible: interruptsOfRetry(history, job, original) }),
    },
  });
  if (answer.answer === 'refused') return answer;
  for (const build of history.builds) if (answer.interrupts.includes(build.id)) build.status = 'cancelled';
  history.builds.push({
    id: nextBuild(history),
    job: job.id,
    number: answer.number,
    status: answer.state,
    inputs: original.inputs.map((input): ResourceVersion => ({ ...input })),
    outputs: [],
    sources: { ...original.sources },
    cause: { kind: 'retry', by },
    approved: original.approved,
    votes: [],
  });
  return answer;
}

function interruptsOfRetry(
  history: History,
  { id, gets }: HistoryJob,
  { inputs }: HistoryBuild,
): RetryInterrupts {
  const { open, origins } = interruptFactsOf(history);
  return { open: open.filter(({ job }) => job === id), origins, gets, inputs };
}

export function requestBuild(
  history: History,
  job: HistoryJob,
  more: Pick<BuildRequest, 'version' | 'after'> = {},
): number {
  history.requests += 1;
  job.requests.push({ id: history.requests, by: 'ann', ...more });
  return history.requests;
}

/**
 * Triggers a version as a person does: in every job that gets it without `passed`, and in the jobs
 * downstream.
 */
export function triggerVersion(history: History, version: NonNullable<BuildRequest['version']>): void {
  const gets = history.jobs.flatMap((job) =>
    job.gets
      .filter(({ resource }) => resource === version.resource)
      .map(({ trigger, passed }) => ({ job: job.id, trigger, passed })),
  );
  const directJobs = [...new Set(gets.filter(({ passed }) => passed.length === 0).map(({ job }) => job))];
  const requests = [
    ...directJobs.map((job) => ({ job, request: requestBuild(history, jobOf(history, job), { version }) })),
    ...cascadeJobs(gets, directJobs).map((job) => ({
      job,
      request: requestBuild(history, jobOf(history, job), { version, after: [] }),
    })),
  ];
  history.cascades = [...(history.cascades ?? []), requests];
}
