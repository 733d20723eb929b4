import { setTimeout as sleep } from 'node:timers/promises';
import { createPipeline, createTeam, deleteTeam, oneJob, teamName } from '#e2e/support/fixtures.ts';
import { pipelineApi } from '#e2e/support/gateway.ts';
import { measureBuild } from './builds.ts';
import { inMilliseconds, summarise, type Summary } from './statistics.ts';

/** What the greedy team wants. A smaller run shows the same: both are far beyond what runs at a time. */
const BUILDS = Number(process.env['BENCH_GREEDY_BUILDS'] ?? 10_000);
const CHECKS = Number(process.env['BENCH_GREEDY_CHECKS'] ?? 1000);
/** A pipeline refuses triggers when 2,000 of its builds have not started. */
const BUILDS_OF_PIPELINE = 1500;
const TRIGGERS_AT_ONCE = 20;
const AIM = 2;

/** Each interval makes a check group, and so a Pod, of its own. */
const checks = (count: number): string =>
  Array.from(
    { length: count },
    (_, index) => `
resource "slow" "r${index}" {
  check_interval = "@every ${3600 + index}s"
}`,
  ).join('');

const SLOW_CHECK = `
resource_type "slow" {
  check "shell" {
    cmd = "sleep 30; echo '[]'"
  }
}`;

interface Measured {
  team: string;
  pipeline: string;
  job: string;
}

/**
 * The other team's builds alone, and while a greedy team has its builds queued and its checks due. The greedy team has no limit of its
 * own, so nothing but turns and the start window stands between the two.
 */
export async function besideGreedyTeam(
  { team, pipeline, job }: Measured,
  runs: number,
  say: (name: string, value: string, aim?: string) => void,
): Promise<void> {
  const waits = async (): Promise<Summary> => {
    const samples: number[] = [];
    for (let round = 0; round < runs; round += 1) {
      const { answered, podObject, firstProcess = Number.NaN } = await measureBuild(team, pipeline, job);
      samples.push(Number.isNaN(firstProcess) ? answered + podObject : firstProcess);
      await sleep(500);
    }
    return summarise(samples);
  };
  const idle = await waits();
  const greedy = teamName('greedy');
  await createTeam(greedy, { limits: { runningBuilds: 10_000, runningChecks: 10_000 } });
  try {
    await createPipeline(greedy, 'checks', SLOW_CHECK + checks(CHECKS));
    await queueBuilds(greedy);
    const beside = await waits();
    say(`trigger → first step’s process, alone`, inMilliseconds(idle));
    say(`  … beside ${BUILDS} queued builds and ${CHECKS} due checks`, inMilliseconds(beside));
    say('  ratio', (beside.median / idle.median).toFixed(2), `≤ ${AIM}`);
  } finally {
    await deleteTeam(greedy);
  }
}

async function queueBuilds(team: string): Promise<void> {
  for (let left = BUILDS, number = 0; left > 0; left -= BUILDS_OF_PIPELINE, number += 1) {
    const name = `builds-${number}`;
    await createPipeline(team, name, oneJob('sleep 30'));
    const api = pipelineApi(team, name);
    let wanted = Math.min(left, BUILDS_OF_PIPELINE);
    const lane = async (): Promise<void> => {
      while (wanted > 0) {
        wanted -= 1;
        await api.trigger('work');
      }
    };
    await Promise.all(Array.from({ length: TRIGGERS_AT_ONCE }, lane));
  }
}
