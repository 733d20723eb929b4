import { setTimeout as sleep } from 'node:timers/promises';
import { inMilliseconds, summarise, type Summary } from '#bench/statistics.ts';
import { createPipeline, createTeam, deleteTeam, oneJob, teamName } from '#e2e/support/fixtures.ts';
import { pipelineApi } from '#e2e/support/gateway.ts';
import { deletePod, podSpecOf, runBarePod } from './bare-pod.ts';
import { measureBuild, type BuildRun } from './builds.ts';
import type { PrintRow } from './print-row.ts';

/**
 * How many builds the greedy team triggers, and how many of its checks are due. Both must exceed what can run
 * at once.
 */
const BUILDS = Number(process.env['BENCH_GREEDY_BUILDS'] ?? 10_000);
const CHECKS = Number(process.env['BENCH_GREEDY_CHECKS'] ?? 1000);
/** Below the 2,000 unstarted builds at which a pipeline refuses triggers. */
const BUILDS_PER_PIPELINE = 1500;
const TRIGGERS_AT_ONCE = 20;
const MAX_RATIO_TO_ALONE = 2;
const GREEDY = [
  { name: 'limits that leave room', spec: { limits: { runningBuilds: 8, runningChecks: 4 } } },
  { name: 'limits as shipped', spec: {} },
  { name: 'limits lifted', spec: { limits: { runningBuilds: 10_000, runningChecks: 10_000 } } },
];

/** Resources with different intervals: each is alone in its check group, so each check needs its own Pod. */
const resourcesToCheck = (count: number): string =>
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
 * One measurement in milliseconds: builds of the measured team, alternating with bare Pods of the same shape.
 */
interface Waits {
  /** From the trigger to the process of the first step. */
  build: Summary;
  /** From the answer to the trigger until the Pod object exists. */
  podObject: Summary;
  /** From creating a bare Pod to the process of its last container. */
  bare: Summary;
}

async function measureWaits({ team, pipeline, job }: Measured, runs: number): Promise<Waits> {
  const { pod } = await measureBuild(team, pipeline, job);
  const spec = await podSpecOf(team, pod);
  const builds: BuildRun[] = [];
  const bare: number[] = [];
  for (let round = 0; round < runs; round += 1) {
    builds.push(await measureBuild(team, pipeline, job));
    const { name, runningMs } = await runBarePod(team, spec, `bare-${Date.now()}`);
    bare.push(runningMs);
    await deletePod(team, name);
    await sleep(500);
  }
  return {
    build: summarise(builds.map(({ firstProcess = Number.NaN }) => firstProcess)),
    podObject: summarise(builds.map(({ podObject }) => podObject)),
    bare: summarise(bare),
  };
}

/**
 * Measures the builds of the measured team alone, and then beside a greedy team with queued builds and due
 * checks. That team gets three sets of limits in turn: limits that leave room on a small node, the default
 * limits (which fill a small node), and limits too high to matter. Millrace does not delay the bare Pods that
 * alternate with the builds.
 */
export async function measureBesideGreedyTeam(
  measured: Measured,
  runs: number,
  printRow: PrintRow,
): Promise<void> {
  const print = (where: string, { build, podObject, bare }: Waits): void => {
    printRow(`trigger → first step’s process, ${where}`, inMilliseconds(build));
    printRow('  of it from the answer to the Pod object', inMilliseconds(podObject));
    printRow('  a bare Pod meanwhile', inMilliseconds(bare));
  };
  const idle = await measureWaits(measured, runs);
  print('alone', idle);
  for (const { name, spec } of GREEDY) {
    const greedy = teamName('greedy');
    await createTeam(greedy, spec);
    try {
      await createPipeline(greedy, 'checks', SLOW_CHECK + resourcesToCheck(CHECKS));
      await queueBuilds(greedy);
      const beside = await measureWaits(measured, runs);
      print(`beside ${BUILDS} triggered builds and ${CHECKS} due checks, ${name}`, beside);
      printRow(
        '  ratio to alone',
        (beside.build.median / idle.build.median).toFixed(2),
        `≤ ${MAX_RATIO_TO_ALONE}`,
      );
      printRow('  the bare Pod’s ratio to alone', (beside.bare.median / idle.bare.median).toFixed(2));
    } finally {
      await deleteTeam(greedy);
    }
  }
}

async function queueBuilds(team: string): Promise<void> {
  for (let queued = 0; queued < BUILDS; queued += BUILDS_PER_PIPELINE) {
    const name = `builds-after-${queued}`;
    await createPipeline(team, name, oneJob('sleep 30'));
    const api = pipelineApi(team, name);
    let untriggered = Math.min(BUILDS - queued, BUILDS_PER_PIPELINE);
    const triggerBuilds = async (): Promise<void> => {
      while (untriggered > 0) {
        untriggered -= 1;
        await api.trigger('work');
      }
    };
    await Promise.all(Array.from({ length: TRIGGERS_AT_ONCE }, triggerBuilds));
  }
}
