import { setTimeout as sleep } from 'node:timers/promises';
import { inMilliseconds, summarise, type Summary } from '#bench/statistics.ts';
import { createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { enterWebhook, startForge, storeToken } from '#e2e/support/forge.ts';
import { pipelineApi, type Build } from '#e2e/support/gateway.ts';
import type { ForgeRepository } from '#testing/forges/forge-under-test.ts';
import { withClone } from '#testing/forges/pushed-repository.ts';
import { deletePod, podSpecOf, runBarePod } from './bare-pod.ts';
import { END_STATUSES, measureBuild } from './builds.ts';
import type { PrintRow } from './print-row.ts';
import { timesIn } from './step-times.ts';
import { untilReady } from './warm.ts';

/*
 * Time from the end of a push to a real Gitea until the first step and the first task of its build, in new
 * and in warm Pods, alternating with bare Pods.
 */

const configOf = (url: string): string => `
variable "token" {
  type = string
}
resource "git" "app" {
  check_interval = "@yearly"
  params {
    url      = "${url}"
    name     = "app"
    provider = "gitea"
    token    = var.token
  }
}
job "one" {
  get "git" "app" {
    trigger = true
  }
  task "time" {
    run "shell" {
      cmd = "date +%s%N"
    }
  }
}
job "bare" {
  task "time" {
    run "shell" {
      cmd = "date +%s%N"
    }
  }
}
`;

type Api = ReturnType<typeof pipelineApi>;

/** A pipeline whose repository gets the pushes. */
interface Target {
  repository: ForgeRepository;
  api: Api;
}

/** Alternates between pushes to a team without warm Pods, bare Pods, and pushes to a team with a warm Pod. */
export async function measureForge(team: string, runs: number, print: PrintRow): Promise<void> {
  const gitea = await startForge();
  const warmTeam = teamName('bench-forge-warm');
  try {
    await createTeam(warmTeam, { warm: { pods: 1, idle: '30m' } });
    const [cold, warm] = [await createTarget(team, gitea), await createTarget(warmTeam, gitea)];
    const spec = await podSpecOf(team, (await measureBuild(team, 'forge', 'bare')).pod);
    // The first push opens connections and fills caches. Warm Pods fit jobs that were built lately.
    for (const target of [cold, warm]) await measurePush(target);
    const pushes: PushRun[] = [];
    const warmPushes: PushRun[] = [];
    const bare: number[] = [];
    for (let round = 1; round <= runs; round += 1) {
      await untilReady(warmTeam, 1);
      pushes.push(await measurePush(cold));
      const run = await runBarePod(team, spec, `forge-bare-${process.pid}-${round}`);
      bare.push(run.runningMs);
      await deletePod(team, run.name);
      await untilReady(warmTeam, 1);
      warmPushes.push(await measurePush(warm));
    }
    const reference = summarise(bare);
    print('bare Pod: create → process of its last container', inMilliseconds(reference));
    printPushes(pushes, reference, print);
    print('with warm Pods:', '');
    printPushes(warmPushes, reference, print);
  } finally {
    await deleteTeam(warmTeam);
    await gitea.stop();
  }
}

async function createTarget(team: string, gitea: Awaited<ReturnType<typeof startForge>>): Promise<Target> {
  const repository = await gitea.createRepository(`bench-${team}`, { private: true });
  const api = pipelineApi(team, 'forge');
  await createPipeline(team, 'forge', configOf(repository.url), await storeToken(team, gitea));
  await enterWebhook(repository, api, 'git.app');
  return { repository, api };
}

function printPushes(pushes: readonly PushRun[], bare: Summary, print: PrintRow): void {
  const summaryOf = (pick: (push: PushRun) => number): Summary => summarise(pushes.map(pick));
  const get = summaryOf(({ untilGet }) => untilGet);
  const version = summaryOf(({ untilVersion }) => untilVersion);
  const build = summaryOf(({ untilVersion, untilBuild }) => untilBuild - untilVersion);
  const pod = summaryOf(({ untilBuild, untilGet }) => untilGet - untilBuild);
  const task = summaryOf(({ untilTask }) => untilTask);
  print('git push ended → first step of its build, the get, starts', inMilliseconds(get));
  print('  ratio to the bare Pod', (get.median / bare.median).toFixed(2), '≤ 2.2');
  print('  git push ended → version recorded (webhook, Pod of the check, check)', inMilliseconds(version));
  print('  version recorded → build created', inMilliseconds(build));
  print('  build created → its first step starts', inMilliseconds(pod));
  print('git push ended → process of the task after the get', inMilliseconds(task));
  print('  ratio to the bare Pod', (task.median / bare.median).toFixed(2));
}

/** Milliseconds from the end of the push. `untilVersion` includes the wait for the forge's webhook. */
interface PushRun {
  untilVersion: number;
  untilBuild: number;
  untilGet: number;
  untilTask: number;
}

async function measurePush({ repository, api }: Target): Promise<PushRun> {
  const before = (await api.builds('one'))[0]?.number;
  const ended = await withClone(repository.url, repository.owner, async (git) => {
    await git('checkout', '-q', '-B', 'main');
    await git('commit', '-q', '--allow-empty', '-m', 'Measure');
    await git('push', '-q', 'origin', 'main');
    return Date.now();
  });
  const build = await nextBuild(api, before);
  const [task] = timesIn(await api.log('one', build.number));
  const [get] = (await api.build('one', build.number)).steps ?? [];
  const [version] = await api.versions('git.app');
  if (task === undefined || get?.started_at === undefined || version === undefined)
    throw new Error(`the build #${build.number} is ${build.status}`);
  return {
    untilVersion: Date.parse(version.created_at) - ended,
    untilBuild: Date.parse(build.created_at) - ended,
    untilGet: Date.parse(get.started_at) - ended,
    untilTask: task - ended,
  };
}

/**
 * Waits until a build newer than `before` has ended. Polls rarely, because polling slows down what is
 * measured.
 */
async function nextBuild(api: Api, before: string | undefined): Promise<Build> {
  for (;;) {
    await sleep(500);
    const [last] = await api.builds('one');
    if (last !== undefined && last.number !== before && END_STATUSES.has(last.status)) return last;
  }
}
