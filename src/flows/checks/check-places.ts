import { judgeStarting } from '#domain/build/judge-starting.ts';
import type { CheckLimits, OpenCheck } from '#domain/scheduling/pick-checks.ts';
import { startPlaces } from '#domain/scheduling/start-window.ts';
import type { Cluster, PodFacts } from '#flows/pods/ports.ts';
import { secondsBetween, type WindowPorts } from '#flows/pods/start-window.ts';
import type { OpenRun } from '#flows/pods/workloads.ts';

export interface CheckPlacePorts extends Pick<WindowPorts, 'pods' | 'now'> {
  cluster: Pick<Cluster, 'teamPods' | 'runningPods' | 'nodes' | 'startsPerNode'>;
}

/** Pods cost: as many checks run at a time, in all and of one team whose Team does not say. */
export const MAX_CHECK_PODS = 10;
const MAX_CHECK_PODS_OF_TEAM = 3;

/** Open runs as the limits of checks see them. */
export function openChecks(
  runs: readonly OpenRun[],
  groupOf: (run: OpenRun) => string,
  ports: CheckPlacePorts,
): OpenCheck[] {
  const now = ports.now();
  const pods = new Map(
    ports.pods().flatMap((pod) => (pod.work.kind === 'checks' && pod.sealed ? [[pod.work.run, pod]] : [])),
  );
  return runs.map((run) => ({
    team: run.team,
    group: groupOf(run),
    byCronJob: run.podUid !== undefined,
    starting: !run.seen && isStarting(run, pods.get(run.run), now),
  }));
}

function isStarting({ openedAt }: OpenRun, pod: PodFacts | undefined, now: Date): boolean {
  const scheduled = pod?.scheduledAt && secondsBetween(pod.scheduledAt, now);
  const ages = { created: secondsBetween(openedAt, now), ...(scheduled === undefined ? {} : { scheduled }) };
  return judgeStarting(pod, ages) === 'starting';
}

/**
 * Checks have a start window of their own, half as large as that of builds: they are short and many, and
 * neither kind waits for the other.
 */
export function checkLimits(running: readonly OpenCheck[], { cluster }: CheckPlacePorts): CheckLimits {
  return {
    pods: MAX_CHECK_PODS,
    starting: Math.ceil(startPlaces(cluster.nodes({}), cluster.startsPerNode()) / 2),
    roomOf(team) {
      const limit = cluster.teamPods(team)?.limits.check ?? Infinity;
      if (limit !== Infinity) return limit - cluster.runningPods(team, 'check');
      return MAX_CHECK_PODS_OF_TEAM - running.filter((run) => run.team === team).length;
    },
  };
}
