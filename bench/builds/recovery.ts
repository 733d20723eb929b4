import { setTimeout as sleep } from 'node:timers/promises';
import { inMilliseconds, summarise } from '#bench/statistics.ts';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { killLeader, readyLeader } from '#e2e/support/leader.ts';
import { measureBuild } from './builds.ts';
import type { PrintRow } from './print-row.ts';

/** After each kill it takes some twenty seconds until two operators are ready again. */
const KILLS = Number(process.env['BENCH_KILLS'] ?? 10);

/**
 * Time from killing the leading operator until a build starts that was triggered at once, and the same time
 * without a kill. The lease is not released, so another operator has to wait until it expires.
 */
export async function recovery(
  { team, pipeline, job }: { team: string; pipeline: string; job: string },
  printRow: PrintRow,
): Promise<void> {
  if (!isEmbedded) return;
  const begins = async (kill: () => Promise<void>): Promise<number> => {
    await kill();
    const since = performance.now();
    const { sentAt, answered, podObject } = await measureBuild(team, pipeline, job);
    return sentAt - since + answered + podObject;
  };
  const killed: number[] = [];
  const unharmed: number[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    await readyLeader();
    await sleep(15_000);
    unharmed.push(await begins(async () => undefined));
    killed.push(await begins(killLeader));
  }
  printRow('asked for a build → its Pod object', inMilliseconds(summarise(unharmed)));
  printRow(
    'leader killed with SIGKILL → Pod object of a new build',
    inMilliseconds(summarise(killed)),
    '≤ 5,000 ms',
  );
  printRow('  the slowest', `${Math.max(...killed).toFixed(0)} ms`);
}
