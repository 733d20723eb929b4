import { setTimeout as sleep } from 'node:timers/promises';
import { inMilliseconds, summarise } from '#bench/statistics.ts';
import { deletePod, podSpecOf, runBarePod } from './bare-pod.ts';
import { measureBuild } from './builds.ts';
import type { PrintRow } from './print-row.ts';

/**
 * Measures bare Pods with a build's containers, alternating between the node's user IDs and a user namespace.
 */
export async function compareUserNamespaces(
  { team, pipeline, job }: { team: string; pipeline: string; job: string },
  runs: number,
  printRow: PrintRow,
): Promise<void> {
  const { hostUsers: _, ...spec } = await podSpecOf(team, (await measureBuild(team, pipeline, job)).pod);
  const ways = [
    { name: 'user IDs of the node', spec, times: [] as number[] },
    { name: 'a user namespace', spec: { ...spec, hostUsers: false }, times: [] as number[] },
  ];
  for (let round = 0; round <= runs; round += 1) {
    for (const [index, way] of ways.entries()) {
      const { name, runningMs } = await runBarePod(team, way.spec, `users-${process.pid}-${round}-${index}`);
      // The first round warms up the node.
      if (round > 0) way.times.push(runningMs);
      await deletePod(team, name);
      await sleep(1000);
    }
  }
  for (const { name, times } of ways)
    printRow(`bare Pod with ${name}: create → process`, inMilliseconds(summarise(times)));
}
