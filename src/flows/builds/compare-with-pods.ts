import { followCheckPod, removeEnded, type FollowChecksPorts } from '#flows/checks/follow-check-pods.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import {
  podOfAttempt,
  podOfRun,
  runOfGonePod,
  runOfPod,
  verifyStrayCheckPod,
  type OwnPod,
} from '#flows/pods/own-pods.ts';
import type { PodFacts } from '#flows/pods/ports.ts';
import type { OpenAttempt, OpenRun } from '#flows/pods/workloads.ts';
import {
  followBuildPod,
  followGoneBuildPod,
  followSeenBuildPod,
  type FollowBuildPorts,
} from './follow-pods.ts';
import type { BuildStore } from './ports.ts';

interface Ports extends FollowBuildPorts, Omit<FollowChecksPorts, keyof FollowBuildPorts> {
  builds: FollowBuildPorts['builds'] & Pick<BuildStore, 'openAttempts'>;
  checks: FollowChecksPorts['checks'] & Pick<CheckStore, 'openRuns'>;
  cluster: FollowBuildPorts['cluster'] & FollowChecksPorts['cluster'];
  /**
   * All our Pods as they are now. Asked for after the database, so that a Pod that is recorded is among them.
   */
  pods: () => PodFacts[] | Promise<PodFacts[]>;
}

/** A Pod younger than this may not be in the watch's memory yet. */
const SETTLED_SECONDS = 10;
/**
 * Where even its creation is not written down, the watch must have had time to notice that it hears nothing.
 */
const UNKNOWN_SECONDS = 60;

/**
 * The level-triggered half: compares what is recorded as running with the Pods that are there. It finds what
 * happened while nobody watched; whatever it does can be done twice.
 */
export async function compareWithPods(ports: Ports): Promise<{ failures: unknown[] }> {
  const [attempts, runs] = await Promise.all([ports.builds.openAttempts(), ports.checks.openRuns()]);
  const pods = await ports.pods();
  const now = ports.now();
  const failures: unknown[] = [];
  const followed = new Set<string>();
  const follow = async (pod: OwnPod | undefined, work: () => Promise<unknown>): Promise<void> => {
    if (pod !== undefined) followed.add(pod.uid);
    await work().catch((error: unknown) => failures.push(error));
  };
  for (const attempt of attempts) {
    const pod = podOfAttempt(attempt, pods);
    if (pod === undefined && !lacksPod(attempt, now)) continue;
    await follow(pod, () => followBuildPod({ build: attempt.id, attempt: attempt.attempt }, pod, ports));
  }
  for (const run of runs) {
    const pod = podOfRun(run, pods);
    if (pod === undefined && secondsSince(run.openedAt, now) < SETTLED_SECONDS) continue;
    await follow(pod, () => followCheckPod(run, pod, ports));
  }
  const strays = pods.filter(({ uid }) => !followed.has(uid));
  for (const pod of strays) await follow(undefined, () => followPod(pod, runs, ports));
  return { failures };
}

/** One Pod that changed. */
export async function followPod(pod: PodFacts, runs: OpenRun[], ports: Omit<Ports, 'pods'>): Promise<void> {
  if (pod.work.kind === 'build') {
    await followSeenBuildPod(pod, pod.work, ports);
    return;
  }
  const found = runOfPod(pod, runs);
  if (found !== undefined) {
    await followCheckPod(found.run, found.pod, ports);
    return;
  }
  const entered = verifyStrayCheckPod(pod, runs, ports.foreign);
  if (entered.verdict !== 'foreign') await removeEnded(entered.pod, ports);
}

/** One Pod that is gone. */
export async function followGonePod(
  pod: PodFacts,
  runs: OpenRun[],
  ports: Omit<Ports, 'pods'>,
): Promise<void> {
  if (pod.work.kind === 'build') {
    await followGoneBuildPod(pod, pod.work, ports);
    return;
  }
  const run = runOfGonePod(pod, runs);
  if (run !== undefined) await followCheckPod(run, undefined, ports);
}

/**
 * A Pod of which nothing is written down may be about to be made, or be met under its name; but once its
 * agent has begun a step there was one, whoever died before writing so.
 */
function lacksPod({ podUid, podCreatedAt = new Date(0), startedAt }: OpenAttempt, now: Date): boolean {
  if (podUid !== undefined) return secondsSince(podCreatedAt, now) >= SETTLED_SECONDS;
  return startedAt !== undefined && secondsSince(startedAt, now) >= UNKNOWN_SECONDS;
}

function secondsSince(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / 1000;
}
