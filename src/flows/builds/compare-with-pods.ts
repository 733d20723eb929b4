import { followCheckPod, removeEnded, type FollowChecksPorts } from '#flows/checks/follow-check-pods.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import type { PodFacts } from '#flows/pods/ports.ts';
import {
  podOfAttempt,
  podOfRun,
  runOfGonePod,
  runOfPod,
  verifyStrayCheckPod,
  type CurrentPod,
} from '#flows/pods/verify-pods.ts';
import type { OpenAttempt, OpenRun } from '#flows/pods/workloads.ts';
import {
  followBuildPod,
  followGoneBuildPod,
  followSeenBuildPod,
  type FollowBuildPorts,
} from './follow-pods.ts';
import { followGoneWarmPod, followWarmPod, type FollowWarmPorts } from './follow-warm-pod.ts';
import type { BuildStore } from './ports.ts';

interface Ports extends FollowWarmPorts, Omit<FollowChecksPorts, keyof FollowBuildPorts> {
  builds: FollowBuildPorts['builds'] & Pick<BuildStore, 'openAttempts'>;
  checks: FollowChecksPorts['checks'] & Pick<CheckStore, 'openRuns'>;
  cluster: FollowBuildPorts['cluster'] & FollowChecksPorts['cluster'];
  /**
   * Every Pod of Millrace that the watch shows. Read after the database, so that a recorded Pod is missing
   * only if it is very new or gone.
   */
  pods: () => PodFacts[] | Promise<PodFacts[]>;
}

/** A Pod that is younger than this may be missing only because the watch has not shown it yet. */
const MAX_WATCH_DELAY_SECONDS = 10;
/**
 * The same limit for an attempt without a recorded Pod, counted from the start of its first step. It is
 * longer, because the watch may take this long to notice a lost connection.
 */
const MAX_WATCH_DELAY_UNRECORDED_SECONDS = 60;

/**
 * Compares open attempts and open check runs with the Pods that exist, to find what happened while no
 * operator watched. Returns the errors of single Pods. Level-triggered: it can run any number of times.
 */
export async function compareWithPods(ports: Ports): Promise<{ failures: unknown[] }> {
  const [attempts, runs] = await Promise.all([ports.builds.openAttempts(), ports.checks.openRuns()]);
  const pods = await ports.pods();
  const now = ports.now();
  const failures: unknown[] = [];
  const followed = new Set<string>();
  const follow = async (pod: CurrentPod | undefined, flow: () => Promise<unknown>): Promise<void> => {
    if (pod !== undefined) followed.add(pod.uid);
    await flow().catch((error: unknown) => failures.push(error));
  };
  for (const attempt of attempts) {
    const pod = podOfAttempt(attempt, pods);
    if (pod === undefined && !hasLostPod(attempt, now)) continue;
    await follow(pod, () => followBuildPod({ build: attempt.id, attempt: attempt.attempt }, pod, ports));
  }
  for (const run of runs) {
    const pod = podOfRun(run, pods);
    if (pod === undefined && secondsSince(run.openedAt, now) < MAX_WATCH_DELAY_SECONDS) continue;
    await follow(pod, () => followCheckPod(run, pod, ports));
  }
  const strays = pods.filter(({ uid }) => !followed.has(uid));
  for (const pod of strays) await follow(undefined, () => followPod(pod, runs, ports));
  return { failures };
}

/** Follows one changed Pod. `runs`: the open check runs; only a check Pod needs them. */
export async function followPod(pod: PodFacts, runs: OpenRun[], ports: Omit<Ports, 'pods'>): Promise<void> {
  if (pod.work.kind === 'build') {
    await followSeenBuildPod(pod, pod.work, ports);
    return;
  }
  if (pod.work.kind === 'warm') return await followWarmPod(pod, pod.work, ports);
  const owned = runOfPod(pod, runs);
  if (owned !== undefined) {
    await followCheckPod(owned.run, owned.pod, ports);
    return;
  }
  const verified = verifyStrayCheckPod(pod, runs, ports.foreign);
  if (verified.verdict !== 'foreign') await removeEnded(verified.pod, ports);
}

/** Follows one deleted Pod. `runs`: as for `followPod`. */
export async function followGonePod(
  pod: PodFacts,
  runs: OpenRun[],
  ports: Omit<Ports, 'pods'>,
): Promise<void> {
  if (pod.work.kind === 'build') {
    await followGoneBuildPod(pod, pod.work, ports);
    return;
  }
  if (pod.work.kind === 'warm') return await followGoneWarmPod(pod, pod.work, ports);
  const run = runOfGonePod(pod, runs);
  if (run !== undefined) await followCheckPod(run, undefined, ports);
}

/**
 * Whether the Pod of an attempt is gone, not just absent so far. An attempt without a recorded Pod may still
 * get its Pod. But if one of its steps has started, a Pod existed that the operator did not record.
 */
function hasLostPod({ podUid, podCreatedAt = new Date(0), startedAt }: OpenAttempt, now: Date): boolean {
  if (podUid !== undefined) return secondsSince(podCreatedAt, now) >= MAX_WATCH_DELAY_SECONDS;
  return startedAt !== undefined && secondsSince(startedAt, now) >= MAX_WATCH_DELAY_UNRECORDED_SECONDS;
}

function secondsSince(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / 1000;
}
