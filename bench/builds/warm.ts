import { setTimeout as sleep } from 'node:timers/promises';
import { inMilliseconds, summarise } from '#bench/statistics.ts';
import { createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { created, pipelineApi, request } from '#e2e/support/gateway.ts';
import { get } from '#e2e/support/read-objects.ts';
import { END_STATUSES } from './builds.ts';
import type { printRow } from './print-row.ts';
import { millisecondsOf } from './step-times.ts';

/* Builds in warm Pods, alternating with builds in new Pods. */

const PODS = 3;

const CONFIG = `
resource_type "stamp" {
  check "shell" {
    cmd = "printf '[{\\"at\\":\\"%s\\"}]' \\"$(date +%s%N)\\""
  }
}
resource "stamp" "now" {
  check_interval = "@yearly"
}
job "one" {
  task "time" {
    run "shell" {
      cmd = "date +%s%N"
    }
  }
}
job "up" {
  get "stamp" "now" {
    trigger = true
  }
  task "work" {
    run "shell" {
      cmd = "sleep 1"
    }
  }
}
job "down" {
  get "stamp" "now" {
    trigger = true
    passed  = ["up"]
  }
  task "time" {
    run "shell" {
      cmd = "date +%s%N"
    }
  }
}
`;

type Api = ReturnType<typeof pipelineApi>;

/** Samples in milliseconds. */
interface Figures {
  /** From a trigger to the time that the step prints. */
  start: number[];
  /** From the end of an upstream build to the time that the step of the downstream build prints. */
  hop: number[];
}

/**
 * Alternates between a team with warm Pods and a team without. Does not verify that a build took a warm Pod.
 */
export async function measureWarm(runs: number, print: typeof printRow): Promise<void> {
  const [warm, cold] = [teamName('bench-warm'), teamName('bench-cold')];
  try {
    await createTeam(warm, { warm: { pods: PODS, idle: '30m' } });
    await createTeam(cold);
    for (const team of [warm, cold]) {
      await createPipeline(team, 'chain', CONFIG);
      await untilFirstVersionIsThrough(pipelineApi(team, 'chain'));
    }
    // Warm Pods fit jobs that were built lately, so each job needs a first build. It also fills caches.
    for (const team of [warm, cold]) await measureRound(team, async () => {});
    const warmFigures: Figures = { start: [], hop: [] };
    const coldFigures: Figures = { start: [], hop: [] };
    for (let round = 0; round < runs; round += 1) {
      addSample(warmFigures, await measureRound(warm, () => untilReady(warm, PODS)));
      // Cold builds also wait until the warm team has replaced the Pods that its builds took.
      addSample(coldFigures, await measureRound(cold, () => untilReady(warm, PODS)));
    }
    print('cold: trigger sent → first step’s process', rowOf(coldFigures.start));
    print('warm: trigger sent → first step’s process', rowOf(warmFigures.start), '≤ 60 ms');
    print('cold: upstream ended → downstream’s process', rowOf(coldFigures.hop));
    print('warm: upstream ended → downstream’s process', rowOf(warmFigures.hop), '≤ 80 ms');
  } finally {
    for (const team of [warm, cold]) await deleteTeam(team);
  }
}

const rowOf = (samples: number[]): string => inMilliseconds(summarise(samples));

function addSample(figures: Figures, { start, hop }: { start: number; hop: number }): void {
  figures.start.push(start);
  figures.hop.push(hop);
}

async function measureRound(
  team: string,
  prepare: () => Promise<void>,
): Promise<{ start: number; hop: number }> {
  const api = pipelineApi(team, 'chain');
  await prepare();
  const start = await measureStart(api);
  await prepare();
  return { start, hop: await measureHop(api) };
}

/** Waits until the team has this many warm Pods that are ready. */
export async function untilReady(team: string, count: number): Promise<void> {
  for (;;) {
    const pods: { ready?: number } = (await get('team', team)).status?.['warmPods'] ?? {};
    if (pods.ready === count) break;
    await sleep(200);
  }
  // The watches and queues of the cluster need a moment to become idle.
  await sleep(1000);
}

/** Waits until both jobs have built the first version: a newer one would supersede a build that is queued. */
async function untilFirstVersionIsThrough(api: Api): Promise<void> {
  while ((await api.builds('down')).length === 0) await sleep(200);
  await untilSucceeded(api, 'down', '1');
}

async function measureStart(api: Api): Promise<number> {
  const triggeredAt = Date.now();
  const { number } = created(await api.trigger('one'));
  await untilSucceeded(api, 'one', number);
  return (await printedAt(api, 'one', number)) - triggeredAt;
}

async function measureHop(api: Api): Promise<number> {
  const before = (await api.builds('down'))[0]?.number;
  const { webhook_token: token } = await api.resource('stamp.now');
  await request('POST', `/webhooks/${token}`);
  for (;;) {
    await sleep(100);
    const [last] = await api.builds('down');
    if (last === undefined || last.number === before) continue;
    await untilSucceeded(api, 'down', last.number);
    const [up] = await api.builds('up');
    return (await printedAt(api, 'down', last.number)) - Date.parse(up?.ended_at ?? '');
  }
}

async function untilSucceeded(api: Api, job: string, number: string): Promise<void> {
  for (;;) {
    // Polls late and rarely, because polling slows down what is measured.
    await sleep(500);
    const { status } = await api.build(job, number);
    if (status === 'succeeded') return;
    if (END_STATUSES.has(status)) throw new Error(`${job} #${number} is ${status}`);
  }
}

/** The time that the step printed, in milliseconds since 1970. */
async function printedAt(api: Api, job: string, number: string): Promise<number> {
  const printed = /^(\d{19})$/m.exec(await api.log(job, number))?.[1];
  if (printed === undefined) throw new Error(`${job} #${number} printed no time`);
  return millisecondsOf(printed);
}
