import { causeOfCronJobPod, claimScopes } from '#domain/scheduling/check-timers.ts';
import type { CheckCause, CheckStore, GroupOfPod } from './ports.ts';

interface Ports {
  checks: Pick<CheckStore, 'withChecks' | 'cronNext'>;
  now: () => Date;
}

/**
 * Opens a run that claims those of the given check scopes that are due and that no other run has claimed.
 * Undefined if there are none. A claim sets the next due time, so that no time of the schedule gets two runs.
 */
export async function openRun(
  scopes: readonly number[],
  cause: CheckCause,
  { checks, now }: Ports,
): Promise<{ run: number; scopes: number[] } | undefined> {
  const at = now();
  return await checks.withChecks(async (tx) => {
    const free = await tx.dueScopes(scopes, at);
    const [first] = free;
    if (first === undefined) return undefined;
    const claimed = claimScopes(free, cause, at.getTime(), checks.cronNext);
    const run = await tx.openRun({
      pipeline: first.pipeline,
      group: first.group,
      cause,
      scopes: claimed,
      at,
    });
    return { run, scopes: free.map(({ id }) => id) };
  });
}

/**
 * Opens a run for the Pod of a CronJob, and claims every check scope of the group that no other run has
 * claimed. The same Pod uid always gets the same run.
 */
export async function openRunForPod(pod: GroupOfPod, { checks, now }: Ports): Promise<number | undefined> {
  const at = now();
  return await checks.withChecks(async (tx) => {
    const free = await tx.freeScopesOf(pod);
    const earlier = await tx.runOfPod(pod.podUid);
    if (earlier !== undefined) return earlier;
    const [first] = free;
    if (first === undefined) return undefined;
    const cause = causeOfCronJobPod(free);
    const claimed = claimScopes(free, cause, at.getTime(), checks.cronNext);
    const { podUid } = pod;
    const { pipeline, group } = first;
    return await tx.openRun({ pipeline, group, cause, scopes: claimed, podUid, at });
  });
}
