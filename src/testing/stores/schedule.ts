import type { BuildEvent } from '#domain/build/events.ts';
import { stateOf } from '#domain/build/stored-state.ts';
import type { DecidedBuilds } from '#domain/scheduling/decision.ts';
import type { Facts } from '#domain/scheduling/facts.ts';
import { endBuild, retryAttempt } from '#flows/builds/end-build.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import type { AttemptEnd, BuildEnd, BuildStore } from '#flows/builds/ports.ts';
import { decidePipeline } from '#flows/builds/schedule-jobs.ts';
import { triggerJob } from '#flows/builds/trigger-job.ts';
import type { JobName } from '#flows/names.ts';

interface Builds {
  builds: BuildStore;
}

/** Decides once on the pipeline's jobs that wait for a decision, without notifications. */
export async function scheduleOn(
  { builds }: Builds,
  pipeline: number,
  at: Date,
  decide?: (facts: Facts) => DecidedBuilds,
) {
  return await builds.withPipeline(
    pipeline,
    async (tx) => await decidePipeline(tx, at, decide && { decide }),
  );
}

/** Triggers a build for a person, without notifications. */
export async function triggerOn({ builds }: Builds, job: JobName, by: string, at: Date) {
  return await triggerJob(job, { by }, { builds, notifications: { notify: () => undefined }, now: () => at });
}

/** Applies an agent's report of its build, without notifications. */
export async function followOn({ builds }: Builds, build: number, attempt: number, events: BuildEvent[]) {
  return await followBuild({ build, attempt }, events, {
    builds,
    notifications: { notify: () => undefined },
  });
}

/** Ends an attempt of a build. */
export async function endOn({ builds }: Builds, build: number, attempt: number, end: BuildEnd) {
  return await endBuild({ build, attempt }, end, builds);
}

/** Ends an attempt without an outcome, so that the build becomes pending again. */
export async function retryOn({ builds }: Builds, build: number, attempt: number, over: AttemptEnd) {
  return await retryAttempt({ build, attempt }, over, builds);
}

/** The state after the events so far. */
export async function stateOn({ builds }: Builds, build: number, attempt: number) {
  const stored = await builds.buildState(build, attempt);
  return stored && stateOf(stored);
}
