import { setTimeout as sleep } from 'node:timers/promises';
import { inMilliseconds, summarise } from '#bench/statistics.ts';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { killLeader, readyLeader } from '#e2e/support/leader.ts';
import { measureBuild } from './builds.ts';
import type { PrintRow } from './print-row.ts';

const KILLS = Number(process.env['BENCH_KILLS'] ?? 10);

/**
 * Measures the time from killing the leading operator to the Pod of a build that is triggered right after,
 * and the same time without a kill. A killed leader does not release its Lease, so the next one waits until
 * the Lease expires. Does nothing unless the cluster is the embedded one.
 */
export async function measureRecovery(
  { team, pipeline, job }: { team: string; pipeline: string; job: string },
  printRow: PrintRow,
): Promise<void> {
  if (!isEmbedded) return;
  const timeToPod = async (kill: () => Promise<void>): Promise<number> => {
    await kill();
    const since = performance.now();
    const { sentAt, answered, podObject } = await measureBuild(team, pipeline, job);
    return sentAt - since + answered + podObject;
  };
  const killed: number[] = [];
  const undisturbed: number[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    await readyLeader();
    // The replacement of the Pod that was killed needs time to become ready.
    await sleep(15_000);
    undisturbed.push(await timeToPod(async () => undefined));
    killed.push(await timeToPod(killLeader));
  }
  printRow('no leader killed → Pod object of a new build', inMilliseconds(summarise(undisturbed)));
  printRow(
    'leader killed with SIGKILL → Pod object of a new build',
    inMilliseconds(summarise(killed)),
    '≤ 5,000 ms',
  );
  printRow('  the slowest', `${Math.max(...killed).toFixed(0)} ms`);
}
