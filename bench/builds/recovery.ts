import { setTimeout as sleep } from 'node:timers/promises';
import { inMilliseconds, summarise } from '#bench/statistics.ts';
import { isEmbedded } from '#e2e/support/embedded.ts';
import { killLeader, readyLeader } from '#e2e/support/leader.ts';
import { measureBuild } from './builds.ts';

/** Each kill costs some twenty seconds until two operators are ready again. */
const KILLS = Number(process.env['BENCH_KILLS'] ?? 10);

/**
 * How long after the end of the operator that leads a build begins which somebody asks for at once; and the
 * same without a kill. The lease is not given back: another operator has to see that it is over.
 */
export async function recovery(
  { team, pipeline, job }: { team: string; pipeline: string; job: string },
  say: (name: string, value: string, aim?: string) => void,
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
  say('asked for a build → its Pod object', inMilliseconds(summarise(unharmed)));
  say(
    'leader killed with SIGKILL → Pod object of a new build',
    inMilliseconds(summarise(killed)),
    '≤ 5,000 ms',
  );
  say('  the slowest', `${Math.max(...killed).toFixed(0)} ms`);
}
