import { defined } from '#defined';
import { judgeStarting } from '#domain/build/judge-starting.ts';
import type { CheckLimits, OpenCheck } from '#domain/scheduling/pick-checks.ts';
import { startSlots } from '#domain/scheduling/start-window.ts';
import type { Cluster, PodFacts } from '#flows/pods/ports.ts';
import { secondsBetween, type WindowPorts } from '#flows/pods/start-window.ts';
import type { OpenRun } from '#flows/pods/workloads.ts';

export interface CheckSlotPorts extends Pick<WindowPorts, 'pods' | 'now'> {
  cluster: Pick<Cluster, 'teamPods' | 'runningPods' | 'nodes' | 'startsPerNode'>;
}

/**
 * Check Pods that the operator runs at a time, over all teams. Pods of CronJobs do not count. A team without
 * a running check may exceed this limit.
 */
export const MAX_CHECK_PODS = 10;
/** For a team without a limit of its own. */
const MAX_CHECK_PODS_OF_TEAM = 3;

/**
 * The open runs, as `pickChecks` needs them. `groupOf` returns the group of a run: checks of a group share a
 * Pod.
 */
export function openChecks(
  runs: readonly OpenRun[],
  groupOf: (run: OpenRun) => string,
  ports: CheckSlotPorts,
): OpenCheck[] {
  const now = ports.now();
  const pods = new Map(
    ports.pods().flatMap((pod) => (pod.work.kind === 'checks' && pod.sealed ? [[pod.work.run, pod]] : [])),
  );
  return runs.map((run) => ({
    team: run.team,
    group: groupOf(run),
    byCronJob: run.byCronJob,
    starting: !run.seen && isStarting(run, pods.get(run.run), now),
  }));
}

function isStarting({ openedAt }: OpenRun, pod: PodFacts | undefined, now: Date): boolean {
  const scheduled = pod?.scheduledAt && secondsBetween(pod.scheduledAt, now);
  const ages = { created: secondsBetween(openedAt, now), ...defined({ scheduled }) };
  return judgeStarting(pod, ages) === 'starting';
}

/**
 * Checks have a start window of their own, half as large as that of builds. So builds do not wait for checks,
 * and checks do not wait for builds.
 */
export function checkLimits(running: readonly OpenCheck[], { cluster }: CheckSlotPorts): CheckLimits {
  return {
    pods: MAX_CHECK_PODS,
    starting: Math.ceil(startSlots(cluster.nodes({}), cluster.startsPerNode()) / 2),
    freeSlotsOf(team) {
      const limit = cluster.teamPods(team)?.limits.check ?? Infinity;
      if (limit !== Infinity) {
        const count = cluster.runningPods(team, 'check');
        return count === undefined ? 0 : limit - count;
      }
      return MAX_CHECK_PODS_OF_TEAM - running.filter((run) => run.team === team).length;
    },
  };
}
