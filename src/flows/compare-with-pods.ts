import { followBuildPod, type FollowBuildPorts } from './follow-pods.ts';
import { followCheckPod, type FollowChecksPorts } from './follow-check-pods.ts';
import type { CheckStore, OpenRun } from './check-ports.ts';
import type { PodFacts } from './cluster-ports.ts';
import type { BuildStore, OpenAttempt } from './ports.ts';

interface Ports extends FollowBuildPorts, Omit<FollowChecksPorts, keyof FollowBuildPorts> {
  builds: FollowBuildPorts['builds'] & Pick<BuildStore, 'openAttempts'>;
  checks: FollowChecksPorts['checks'] & Pick<CheckStore, 'openRuns'>;
  cluster: FollowBuildPorts['cluster'] & FollowChecksPorts['cluster'];
  /** All our Pods as they are now. Asked for after the database, so that a Pod that is recorded is among them. */
  pods: () => PodFacts[] | Promise<PodFacts[]>;
}

/** A Pod younger than this may not be in the watch's memory yet. */
const SETTLED_SECONDS = 10;
/** Where even its creation is not written down, the watch must have had time to notice that it hears nothing. */
const UNKNOWN_SECONDS = 60;

/**
 * The level-triggered half: compares what is recorded as running with the Pods that are there. It finds what happened while nobody
 * watched; whatever it does can be done twice.
 */
export async function compareWithPods(ports: Ports): Promise<{ failures: unknown[] }> {
  const [attempts, runs] = await Promise.all([ports.builds.openAttempts(), ports.checks.openRuns()]);
  const pods = await ports.pods();
  const failures: unknown[] = [];
  const attempted = async (work: Promise<unknown>): Promise<void> =>
    void (await work.catch((error: unknown) => failures.push(error)));
  const now = ports.now();
  for (const pod of pods) await attempted(followPod(pod, runs, ports));
  for (const attempt of attempts.filter((candidate) => lacksPod(candidate, pods, now))) {
    await attempted(followBuildPod({ build: attempt.id, attempt: attempt.attempt }, undefined, ports));
  }
  for (const run of runs) {
    if (secondsSince(run.openedAt, now) < SETTLED_SECONDS || pods.some((pod) => isOf(pod, run))) continue;
    await attempted(followCheckPod(run, undefined, ports));
  }
  return { failures };
}

/** One Pod that changed. */
export async function followPod(pod: PodFacts, runs: OpenRun[], ports: Omit<Ports, 'pods'>): Promise<void> {
  if (pod.work.kind === 'build') await followBuildPod(pod.work, pod, ports);
  else
    await followCheckPod(
      runs.find((run) => isOf(pod, run)),
      pod,
      ports,
    );
}

/**
 * A Pod of which nothing is written down may be about to be made, or be met under its name; but once its agent has begun a step there
 * was one, whoever died before writing so.
 */
function lacksPod(attempt: OpenAttempt, pods: PodFacts[], now: Date): boolean {
  const { podUid, podCreatedAt = new Date(0), startedAt } = attempt;
  if (podUid !== undefined) {
    return secondsSince(podCreatedAt, now) >= SETTLED_SECONDS && !pods.some((pod) => pod.uid === podUid);
  }
  const long = startedAt !== undefined && secondsSince(startedAt, now) >= UNKNOWN_SECONDS;
  return long && !pods.some((pod) => isFor(pod, attempt));
}

function isFor({ work }: PodFacts, { id, attempt }: OpenAttempt): boolean {
  return work.kind === 'build' && work.build === id && work.attempt === attempt;
}

function isOf(pod: PodFacts, run: OpenRun): boolean {
  return pod.work.kind === 'checks' && (pod.work.run === run.run || pod.uid === run.podUid);
}

function secondsSince(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / 1000;
}
