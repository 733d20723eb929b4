import { whyBuildWaits } from '#domain/scheduling/why-build-waits.ts';
import { decideWithPages } from '#flows/builds/decide-with-pages.ts';
import type { WaitingView } from './ports.ts';
import type { ExplainedJobs, WaitingStore } from './waiting-ports.ts';

/** Decides now, as the scheduler would, so that the reasons are current. Writes nothing. */
export async function showWaiting(
  explained: ExplainedJobs,
  store: WaitingStore,
): Promise<WaitingView | undefined> {
  const jobs = await store.jobsToExplain(explained);
  if (jobs === undefined) return undefined;
  const ids = jobs.map(({ id }) => id);
  const { decision } = await store.withFacts(ids, async (tx) => await decideWithPages(tx));
  const reasons = new Map(decision.waiting.map((waiting) => [waiting.job, waiting.reasons]));
  const builds = await store.unstartedBuilds(ids);
  return {
    jobs: jobs.map((job) => ({ name: job.name, reasons: reasons.get(job.id) ?? [] })),
    builds: builds.map((build) => ({
      job: build.job,
      number: build.number,
      reasons: whyBuildWaits(build),
    })),
  };
}
