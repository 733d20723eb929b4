import type { CheckResult } from '#domain/build/agent-protocol.ts';
import { scheduleJobs } from '#flows/builds/schedule-jobs.ts';
import { recordVersions } from '#flows/checks/record-versions.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import type { TestStores } from './stores.ts';

const now = (): Date => new Date();

/**
 * Waits until a check of the first resource is due, ends it with this outcome, and decides on the jobs as the
 * operator does.
 */
export async function endCheck(
  {
    stores,
    notifications,
  }: { stores: Pick<TestStores, 'builds' | 'checks'>; notifications: Pick<Notifications, 'notify'> },
  saved: Pick<SavedPipeline, 'resources'>,
  result: Pick<CheckResult, 'versions' | 'error'>,
): Promise<void> {
  const scope = saved.resources[0]?.scope ?? 0;
  let run: number | undefined;
  while (run === undefined) {
    run = (await stores.checks.openRun([scope], 'manual', now()))?.run;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const results = [{ scope: String(scope), log: '', ...result }];
  await recordVersions(run, { results, done: true }, { checks: stores.checks, notifications, now });
  await scheduleJobs({ builds: stores.builds, notifications, now });
}
