import type { Decision } from '#domain/scheduling/decision.ts';
import type { Facts } from '#domain/scheduling/facts.ts';
import { decidePipeline } from '#flows/schedule-jobs.ts';
import { triggerJob } from '#flows/trigger-job.ts';
import type { JobName } from '#flows/ports.ts';
import type { TestStores } from './stores.ts';

type Builds = Pick<TestStores, 'builds'>;

/** One decision on the jobs of the pipeline that wait for one; nobody is notified of it. */
export async function scheduleOn(
  { builds }: Builds,
  pipeline: number,
  at: Date,
  decide?: (facts: Facts) => Decision,
) {
  return await builds.withPipeline(
    pipeline,
    async (tx) => await decidePipeline(tx, at, decide && { decide }),
  );
}

/** A build that a person asks for; nobody is notified of it. */
export async function triggerOn({ builds }: Builds, job: JobName, by: string, at: Date) {
  return await triggerJob(job, by, { builds, notifications: { notify: () => undefined }, now: () => at });
}
